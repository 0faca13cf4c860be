package dev.pawl.console.watch;

import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a state. */
public final class Await {

  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private Await() {}

  /** Asks again and again until it is true. */
  public static void until(Callable<Boolean> state) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!state.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not happen within a minute");
      }
      LockSupport.parkNanos(20_000_000);
    }
  }
}
