package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One of Redlock's servers, real, as its port shows it. */
class RedlockPortTest {

  @Test
  void aVoteThatIsTakenBackIsGoneBeforeItIsAskedForAgain() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisPort port =
            LettuceStores.openPort(RedisUrl.parse(server.url()), RedisOptions.DEFAULT)) {
      RedlockPort voter =
          new RedlockPort(port, RedlockOptions.DEFAULT.withServerTimeout(Duration.ofSeconds(10)));
      Command.Acquire claim = claim();
      assertThat(of(voter.acquire(claim, 1))).isInstanceOf(AcquireReply.Granted.class);

      // The server has never heard of the script that takes it back: that one is sent twice.
      server.pause();
      var takenBack = voter.takeBack(claim);
      var askedAgain = voter.acquire(claim, 1);
      server.resume();

      of(takenBack);
      assertThat(of(askedAgain)).isInstanceOf(AcquireReply.Granted.class);
      assertThat(of(voter.release(release(claim)))).isEqualTo(ReleaseReply.RELEASED);
    }
  }

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private static Command.Acquire claim() {
    return new Command.Acquire(
        "a",
        new ClaimId("n", 1),
        Command.EVERYTHING,
        Command.EVERYTHING,
        10_000_000,
        1,
        OptionalLong.empty(),
        false,
        false,
        "label",
        "actor");
  }

  private static Command.Release release(Command.Acquire claim) {
    return new Command.Release(claim.name(), claim.claim(), 0, OptionalLong.empty(), false);
  }
}
