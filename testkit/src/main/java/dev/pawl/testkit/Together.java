package dev.pawl.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Several threads that start at the same moment. */
final class Together {

  private static final long LONGEST_SECONDS = 45;

  private Together() {}

  /** What one of the threads does. */
  @FunctionalInterface
  interface Part {
    void run(int index) throws Exception;
  }

  /** Runs the part with each index below {@code threads}, and throws what any of them threw. */
  static void run(int threads, Part part) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      CountDownLatch start = new CountDownLatch(threads);
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int index = i;
        ends.add(
            executor.submit(
                () -> {
                  start.countDown();
                  start.await();
                  part.run(index);
                  return null;
                }));
      }
      for (Future<?> end : ends) {
        end.get(LONGEST_SECONDS, TimeUnit.SECONDS);
      }
    } finally {
      executor.shutdownNow();
    }
  }
}
