package dev.pawl.cli.demo;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The end of the process by a signal, as an interrupt of the work that has to clean up. */
final class CleanEnd {

  /** Longer than the slowest clean-up; a signal must end us all the same. */
  private static final int MOST_SECONDS = 15;

  private CleanEnd() {}

  /** Runs the work; on a signal it is interrupted, and the process ends when it has returned. */
  static <T> T run(Callable<T> work) throws Exception {
    Thread worker = Thread.currentThread();
    CountDownLatch clean = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              worker.interrupt();
              try {
                clean.await(MOST_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "clean end");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return work.call();
    } finally {
      clean.countDown();
      if (!isRemoved(hook)) {
        awaitTheEnd();
      }
    }
  }

  private static boolean isRemoved(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Whatever the interrupt made of the work is nothing to report. */
  private static void awaitTheEnd() {
    while (true) {
      LockSupport.park();
    }
  }
}
