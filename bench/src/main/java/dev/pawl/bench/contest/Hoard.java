package dev.pawl.bench.contest;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Very many locks that one process holds, and what they cost it. */
final class Hoard {

  private static final int WARM_UP = 2_000;

  private final List<Competitor.Hold> holds;
  private final long heapBytes;
  private final int threads;

  Hoard(Competitor competitor, int count) throws Exception {
    for (int i = 0; i < WARM_UP; i++) {
      competitor.acquire("warm-up").release();
    }
    List<String> names = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      names.add(name(i));
    }
    holds = new ArrayList<>(count);
    long heapBefore = usedHeap();
    int threadsBefore = liveThreads();
    for (String name : names) {
      holds.add(competitor.acquire(name));
    }
    heapBytes = usedHeap() - heapBefore;
    threads = liveThreads() - threadsBefore;
    if (names.size() != holds.size()) {
      throw new IllegalStateException("not all are held"); // Keeps the names until here.
    }
  }

  /** Returns what the n-th lock is called. */
  static String name(int n) {
    return "held-" + n;
  }

  /** Returns bytes a lock, and threads, as words that a worker answers with. */
  String[] words() {
    return new String[] {"" + (double) heapBytes / holds.size(), "" + threads};
  }

  private static int liveThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** The least of several readings, each after a collection: buffers on the way are not counted. */
  private static long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      LockSupport.parkNanos(50_000_000);
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }
}
