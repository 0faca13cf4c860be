package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary whose driver blocks, so that each call to it has a thread for as long as it lasts. */
@Timeout(60)
class BlockingPrimaryTest {

  private static final int CALLS = 1_000;

  private final CountDownLatch answers = new CountDownLatch(1);
  private final Set<Thread> callers = ConcurrentHashMap.newKeySet();

  private final class Silent extends ForwardingStore {
    Silent() {
      super(new MemoryStore());
    }

    @Override
    public boolean blocking() {
      return true;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      if (!command.name().startsWith("name ")) {
        return super.acquire(command); // The pair's own.
      }
      callers.add(Thread.currentThread());
      try {
        answers.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return super.acquire(command);
    }
  }

  private static void await(BooleanSupplier state) {
    while (!state.getAsBoolean()) {
      assertThat(Thread.interrupted()).as("timeout").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void thousandsOfCallsAtOnceStandInLineForAFewThreads() {
    try (PairStore pair = PairStore.open(new Silent(), new MemoryStore(), PairOptions.DEFAULT);
        Pawl pawl = Pawl.builder(pair).build()) {
      CallLine line = pair.state().primary.line();
      List<CompletableFuture<Lease>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(pawl.lock("name " + i).acquireAsync(Duration.ofMinutes(1)));
      }
      await(() -> callers.size() >= 16 && callers.size() + line.waiting() >= CALLS);
      assertThat(callers).hasSize(16).allMatch(caller -> caller.getName().startsWith("pawl-pair-"));
      answers.countDown();
      await(() -> calls.stream().allMatch(CompletableFuture::isDone));
      await(() -> line.waiting() == 0 && line.underWay() == 0);
    }
  }
}
