package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The end of a run whose claim was gone, and whose name was to be kept. */
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
    assertThat(answer(new TickEnd(gone, keeper).apply(store))).as("the tick is done").isFalse();

    AcquireReply late = answer(store.yieldGrant(new Command.Yield(gone, keeper)));

    assertThat(late).isInstanceOf(AcquireReply.Ended.class);
    assertThat(answer(store.find("job")).orElseThrow().holders()).isEmpty();
  }

  private static <T> T answer(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
