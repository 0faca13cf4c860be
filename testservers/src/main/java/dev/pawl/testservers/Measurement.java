package dev.pawl.testservers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A count or a time that is taken on a machine which may stand still at any moment: a node that
 * waited in vain for a second asks again, and a thread that did not run is late. A round in which
 * the machine was seen to stall says nothing, and is taken again; any other counts, and must be as
 * claimed.
 */
@FunctionalInterface
public interface Measurement {

  /** For how long nothing ran in a machine that stalled. */
  Duration STALL = Duration.ofMillis(100);

  /** After so many rounds in which it stalled it is no machine to measure anything on. */
  int MOST_ROUNDS = 30;

  /** Takes it once, from the beginning, and asserts what is claimed. */
  void take() throws Exception;

  /** Takes it until the machine has not stalled meanwhile, or it was as claimed all the same. */
  static void whereNothingStalls(Measurement measurement) throws Exception {
    for (int round = 1; ; round++) {
      try (StallWatch watch = new StallWatch()) {
        try {
          measurement.take();
          return;
        } catch (AssertionError e) {
          Duration longest = watch.longest();
          if (longest.compareTo(STALL) < 0 || round == MOST_ROUNDS) {
            throw e;
          }
          System.err.printf(
              "round %d: the machine stalled for %d ms: %s%n",
              round, longest.toMillis(), e.getMessage());
        }
      }
    }
  }

  /** A thread that does nothing but look whether it runs when it should. */
  final class StallWatch implements AutoCloseable {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Thread thread = new Thread(this::look, "stall-watch");
    private volatile long longestNanos;
    private volatile boolean closed;

    StallWatch() {
      thread.setDaemon(true);
      thread.start();
    }

    private void look() {
      long last = System.nanoTime();
      while (!closed) {
        LockSupport.parkNanos(LOOK_NANOS);
        long now = System.nanoTime();
        longestNanos = Math.max(longestNanos, now - last - LOOK_NANOS);
        last = now;
      }
    }

    Duration longest() {
      return Duration.ofNanos(longestNanos);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
