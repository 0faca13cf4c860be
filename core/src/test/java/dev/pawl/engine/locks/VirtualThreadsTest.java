package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DistributedLock;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Thousands of virtual threads wait for one lock: they park, and block no carrier. */
class VirtualThreadsTest {

  private static final int THREADS = 2_000;

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "there are no virtual threads before 21")
  void virtualThreadsOfTwoNodesTakeTurns() throws Exception {
    MemoryStore store = new MemoryStore();
    int[] counter = {0};
    ExecutorService threads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    try (Pawl a = Pawl.builder(store).build();
        Pawl b = Pawl.builder(store).build()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        DistributedLock lock = (i % 2 == 0 ? a : b).lock("x");
        all.add(threads.submit(() -> increment(lock, counter)));
      }
      for (Future<?> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertThat(counter[0]).isEqualTo(THREADS);
      assertThat(store.size()).isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  private static void increment(DistributedLock lock, int[] counter) {
    lock.lock();
    try {
      int seen = counter[0];
      LockSupport.parkNanos(1_000); // Gives the carrier away while the lock is held.
      counter[0] = seen + 1;
    } finally {
      lock.unlock();
    }
  }
}
