package dev.pawl.jdbc.rowlock;

import dev.pawl.machine.LockMachine;
import dev.pawl.spi.ClaimId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Claims that have ended, of which an acquire may still be under way; each for a while. */
final class EndedClaims {

  private final ConcurrentMap<ClaimId, Long> untilNanos = new ConcurrentHashMap<>();

  void add(ClaimId claim) {
    untilNanos.put(claim, System.nanoTime() + LockMachine.ENDED_MICROS * 1_000);
  }

  boolean contains(ClaimId claim) {
    return untilNanos.containsKey(claim);
  }

  /** Forgets those of which nothing can be under way any more. */
  void forget() {
    long now = System.nanoTime();
    untilNanos.values().removeIf(until -> until - now < 0);
  }
}
