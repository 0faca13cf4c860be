package dev.pawl.zookeeper.claims;

import dev.pawl.spi.ClaimId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Claims that ended while a copy of their acquire may be under way, which then takes nothing. */
final class EndedClaims {

  /** How long each is remembered. */
  private static final long ENDED_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final int MOST_ENDED = 10_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<ClaimId, Long> ended = new LinkedHashMap<>();

  /** Remembers one (I5). */
  void add(ClaimId id) {
    long now = System.nanoTime();
    lock.lock();
    try {
      ended.put(id, now + ENDED_NANOS);
      ended.values().removeIf(until -> until - now < 0 || ended.size() > MOST_ENDED);
    } finally {
      lock.unlock();
    }
  }

  boolean contains(ClaimId id) {
    lock.lock();
    try {
      Long until = ended.get(id);
      return until != null && until - System.nanoTime() > 0;
    } finally {
      lock.unlock();
    }
  }
}
