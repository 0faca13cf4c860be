package dev.pawl.memory;

import static dev.pawl.memory.StoreScene.ask;
import static dev.pawl.memory.StoreScene.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Shows that threads that hammer one name of the reference store exclude each other. */
class MemoryStoreThreadsTest {

  private static final int THREADS = 8;
  private static final int ROUNDS = 2_000;

  // Each reading is a microsecond later: no lease ends, however slow the threads are.
  private final AtomicLong clock = new AtomicLong(1_000_000_000);
  private final MemoryStore store = new MemoryStore(clock::incrementAndGet);
  private final AtomicBoolean inside = new AtomicBoolean();

  /** Guarded by the lock under test, and by nothing else. */
  private final List<Long> tokens = new ArrayList<>();

  @Test
  void oneIsInsideAtATimeAndTokensRise() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        String node = "node " + i;
        all.add(threads.submit(() -> hammer(node)));
      }
      for (Future<?> one : all) {
        join(one);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(tokens).hasSize(THREADS * ROUNDS).isSorted().doesNotHaveDuplicates();
    assertThat(store.size()).isZero();
  }

  private static void join(Future<?> thread)
      throws InterruptedException, ExecutionException, TimeoutException {
    thread.get(60, TimeUnit.SECONDS);
  }

  private Void hammer(String node) throws InterruptedException {
    BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
    try (var subscription = store.subscribe(node, signals::add)) {
      for (int round = 0; round < ROUNDS; round++) {
        Grant grant = acquire(new ClaimId(node, round), signals);
        assertThat(inside.compareAndSet(false, true)).as("alone inside").isTrue();
        tokens.add(grant.token());
        assertThat(inside.compareAndSet(true, false)).as("alone inside").isTrue();
        now(store.release(StoreScene.release("x", grant, OptionalLong.empty())));
      }
    }
    return null;
  }

  private Grant acquire(ClaimId claim, BlockingQueue<Signal> signals) throws InterruptedException {
    AcquireReply reply = now(store.acquire(ask("x", claim, 1, OptionalLong.empty())));
    if (reply instanceof AcquireReply.Granted granted) {
      return granted.grant();
    }
    assertThat(reply).isInstanceOf(AcquireReply.Queued.class);
    Signal.Granted told = (Signal.Granted) signals.take();
    assertThat(told.grant().claim()).isEqualTo(claim);
    return told.grant();
  }
}
