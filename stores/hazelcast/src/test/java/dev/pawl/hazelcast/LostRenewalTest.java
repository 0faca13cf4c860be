package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.Measurement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A renewal whose answer never comes: Hazelcast itself gives it up after a minute or two. */
class LostRenewalTest {

  private static final ClaimId CLAIM = new ClaimId("n", 1);

  private static RenewReply renew(HazelcastStore store) {
    Command.Renew renewal = new Command.Renew("x", CLAIM, Command.EVERYTHING, 600_000_000, "actor");
    return store.renew(List.of(renewal)).toCompletableFuture().join().get(0);
  }

  @Test
  void itIsSentAgainThoughNotAtOnce() throws Exception {
    try (Embedded cluster = new Embedded(1)) {
      // Five seconds later it is sent.
      Measurement.whereNothingStalls(() -> lose(new CountingInstance(cluster.member(0))));
    }
  }

  private static void lose(CountingInstance counting) throws Exception {
    HazelcastOptions options = HazelcastOptions.DEFAULT.withTimeout(Duration.ofSeconds(1));
    try (HazelcastStore store = HazelcastStore.of(counting.instance(), options)) {
      assertThat(store.acquire(acquire()).toCompletableFuture().join())
          .isInstanceOf(AcquireReply.Granted.class);
      counting.losing = true;
      assertThatThrownBy(() -> renew(store)).hasCauseInstanceOf(OutcomeUnknownException.class);
      counting.reset();
      assertThatThrownBy(() -> renew(store))
          .hasCauseInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the last renewal of the name");
      assertThat(counting.sent()).isZero();

      counting.losing = false;
      Waiting.until("it is renewed", () -> renew(store) instanceof RenewReply.Held);
    }
  }

  private static Command.Acquire acquire() {
    return new Command.Acquire(
        "x",
        CLAIM,
        Command.EVERYTHING,
        Command.EVERYTHING,
        600_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        "label",
        "actor");
  }
}
