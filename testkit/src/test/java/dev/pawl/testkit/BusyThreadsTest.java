package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that blocks, and more to be done than a node has threads for. */
@Timeout(60)
class BusyThreadsTest {

  private static final int CALLS = 40;

  /** As many as a node has for calls that nobody waits in. */
  private static final int THREADS = 4;

  @Test
  void leasesAreRenewedAndNothingIsAskedTwice() throws Exception {
    Stuck store = new Stuck();
    try (Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofSeconds(30)).build()) {
      Lease held =
          pawl.lock("held", LockOptions.DEFAULT.withLease(Duration.ofSeconds(5))).acquire();
      store.stuck = true;
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        waiting.add(pawl.lock("name-" + i).acquireAsync(Duration.ofSeconds(30)));
      }
      // Twice, which takes longer than an answer is waited for before it is asked again.
      assertThat(store.renewals.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(held.isHeld()).isTrue();

      store.goOn.countDown();
      for (CompletableFuture<Lease> lease : waiting) {
        lease.get(30, TimeUnit.SECONDS).close();
      }
      assertThat(store.acquires.get())
          .as("acquires: one each, and one more of those that got no answer, now or at the end")
          .isBetween(CALLS, CALLS + 2 * THREADS);
      held.close();
    }
  }

  /** Keeps every acquire until it may go on. */
  private static final class Stuck extends ForwardingStore {
    final CountDownLatch goOn = new CountDownLatch(1);
    final CountDownLatch renewals = new CountDownLatch(2);
    final AtomicInteger acquires = new AtomicInteger();
    volatile boolean stuck;

    Stuck() {
      super(new MemoryStore());
    }

    @Override
    public boolean blocking() {
      return true;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      if (stuck) {
        acquires.incrementAndGet();
        await();
      }
      return super.acquire(command);
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      renewals.countDown();
      return super.renew(commands);
    }

    private void await() {
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
