package dev.pawl.engine.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The end of a run whose claim was gone, or that had to be repeated. */
class TickEndTest {

  private final MemoryStore store = new MemoryStore();
  private final Command.Release gone =
      new Command.Release("job", new ClaimId("n", 1), 1, OptionalLong.of(10), false);
  private final Command.Acquire keeper =
      new Command.Acquire(
          "job",
          new ClaimId("n", 2),
          Command.EVERYTHING,
          Command.EVERYTHING,
          30_000_000,
          1,
          OptionalLong.empty(),
          false,
          true,
          "app",
          "");

  @Test
  void aLateCopyOfItKeepsTheNameForNobody() {
    assertThat(answer(new TickEnd(gone, keeper, 0).apply(store))).isEqualTo(TickEnd.Result.LOST);

    AcquireReply late = answer(store.yieldGrant(new Command.Yield(gone, keeper)));

    assertThat(late).isInstanceOf(AcquireReply.Busy.class);
    assertThat(answer(store.find("job")).map(info -> info.holders().size()).orElse(0)).isZero();
  }

  private static <T> T answer(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void aRepeatedEndWhoseFirstCopyArrivedIsDone() {
    TickEnd end = new TickEnd(release(take("n", 10)), null, 0);
    answer(end.apply(store));
    assertThat(answer(end.apply(store))).isEqualTo(TickEnd.Result.DONE);
  }

  @Test
  void aRepeatedEndIsInDoubtIfAnotherHasHadTheJobSince() {
    Command.Release mine = release(take("n", 10));
    // The lease ended before any copy arrived, and a standby ran the tick.
    answer(store.cancel(new Command.Cancel("job", mine.claim(), false)));
    answer(store.release(release(take("standby", 10))));

    TickEnd end = new TickEnd(mine, null, 0);
    assertThat(answer(end.apply(store))).as("the first copy").isEqualTo(TickEnd.Result.LOST);
    assertThat(answer(end.apply(store))).isEqualTo(TickEnd.Result.IN_DOUBT);
  }

  @Test
  void anEndThatKeepsTheNameIsInDoubtIfAnotherHasDoneTheTickMeanwhile() {
    Command.Release mine = release(take("n", 10));
    answer(store.cancel(new Command.Cancel("job", mine.claim(), false)));
    answer(store.release(release(take("standby", 10))));

    long now = answer(store.nowMicros());
    assertThat(answer(new TickEnd(mine, keeper, now - 1).apply(store)))
        .isEqualTo(TickEnd.Result.IN_DOUBT);
  }

  @Test
  void anEndThatKeepsTheNameIsDoneIfItWasAnsweredBeforeTheLeaseEnded() {
    Command.Release mine = release(take("n", 10));
    long until = answer(store.nowMicros()) + 10_000_000;
    TickEnd end = new TickEnd(mine, keeper, until);
    assertThat(answer(end.apply(store))).isEqualTo(TickEnd.Result.DONE);
    assertThat(answer(end.apply(store))).as("repeated").isEqualTo(TickEnd.Result.DONE);
  }

  private Grant take(String node, long mark) {
    AcquireReply reply =
        answer(
            store.acquire(
                new Command.Acquire(
                    "job",
                    new ClaimId(node, 1),
                    Command.EVERYTHING,
                    Command.EVERYTHING,
                    10_000_000,
                    1,
                    OptionalLong.of(mark),
                    false,
                    true,
                    "app",
                    "")));
    return ((AcquireReply.Granted) reply).grant();
  }

  private static Command.Release release(Grant grant) {
    return new Command.Release("job", grant.claim(), grant.token(), OptionalLong.of(10), false);
  }
}
