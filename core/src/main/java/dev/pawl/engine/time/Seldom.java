package dev.pawl.engine.time;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Lets through what would otherwise be said with every call once an hour for each name. */
public final class Seldom {

  private static final long AGAIN_NANOS = Duration.ofHours(1).toNanos();

  /** More than anybody reads; of what was said longest ago it is forgotten that it was. */
  private static final int MOST = 1_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Long> saidAt = new LinkedHashMap<>();

  /** Tells whether it is to be said now, and counts it as said if it is. */
  public boolean isDue(String name, long nowNanos) {
    lock.lock();
    try {
      Long last = saidAt.get(name);
      if (last != null && nowNanos - last < AGAIN_NANOS) {
        return false;
      }
      saidAt.remove(name);
      saidAt.put(name, nowNanos);
      if (saidAt.size() > MOST) {
        saidAt.remove(saidAt.keySet().iterator().next());
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
