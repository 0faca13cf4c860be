package dev.pawl.machine;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.OptionalLong;

/**
 * An acquire in the making: exclusive, fair, ready to wait, for ten seconds, unless told otherwise.
 */
record Ask(
    ClaimId claim,
    int permits,
    int capacity,
    long leaseMicros,
    int span,
    OptionalLong mark,
    boolean queue,
    boolean fair) {

  static final long SECOND = 1_000_000;
  static final long LEASE = 10 * SECOND;

  static ClaimId id(String node) {
    return new ClaimId(node, 1);
  }

  static Ask exclusive(String node) {
    return permits(node, Command.EVERYTHING, Command.EVERYTHING);
  }

  static Ask shared(String node) {
    return permits(node, 1, Command.EVERYTHING);
  }

  static Ask permits(String node, int permits, int capacity) {
    return new Ask(id(node), permits, capacity, LEASE, 1, OptionalLong.empty(), true, true);
  }

  Ask lease(long micros) {
    return new Ask(claim, permits, capacity, micros, span, mark, queue, fair);
  }

  Ask span(int tokens) {
    return new Ask(claim, permits, capacity, leaseMicros, tokens, mark, queue, fair);
  }

  Ask mark(long wanted) {
    return new Ask(
        claim, permits, capacity, leaseMicros, span, OptionalLong.of(wanted), queue, fair);
  }

  Ask noQueue() {
    return new Ask(claim, permits, capacity, leaseMicros, span, mark, false, fair);
  }

  Ask unfair() {
    return new Ask(claim, permits, capacity, leaseMicros, span, mark, queue, false);
  }

  Command.Acquire command() {
    return new Command.Acquire(
        Script.NAME,
        claim,
        permits,
        capacity,
        leaseMicros,
        span,
        mark,
        queue,
        fair,
        "label " + claim.node(),
        "actor " + claim.node());
  }
}
