package dev.pawl.quartz;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a state, patiently. */
final class Eventually {

  /** More than eight processes need to start on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private Eventually() {}

  static void until(String what, BooleanSupplier state) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!state.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + PATIENCE + ": " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }
}
