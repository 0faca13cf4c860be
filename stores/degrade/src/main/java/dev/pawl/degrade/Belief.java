package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Tokens;
import dev.pawl.spi.Grant;

/**
 * What a node may count on, and what it tells others of it: until when a claim lasts, whether all
 * that it holds is in both stores, and up to which token it wants to be believed. Guarded by the
 * lock of the pair.
 */
final class Belief {

  private final PairState state;

  /** The highest token that the node needs to be believed. */
  private long wantedCeiling;

  /** Whether the node may have said that all it holds is in both stores, of this return. */
  private boolean readyTold;

  Belief(PairState state) {
    this.state = state;
  }

  /** Takes that the record is another one. */
  void onRecord(ModeRecord seen) {
    if (seen.mode() != Mode.RETURNING) {
      readyTold = false;
    }
  }

  /** Returns whether all that ran under a lease that is lost has been told. */
  boolean isIdle() {
    for (PairClaim claim : state.claims.known()) {
      if (claim.state == State.LOST) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether all that is held is in both stores. */
  boolean isReady() {
    ModeRecord seen = state.record();
    if (seen == null) {
      return false;
    }
    for (PairClaim claim : state.claims.known()) {
      if (claim.state == State.HELD && (!claim.footing().isReady(seen) || isInDoubt(claim, seen))) {
        return false;
      }
    }
    return true;
  }

  /** Its node may count on it for longer than the primary has it, as far as is known. */
  private boolean isInDoubt(PairClaim claim, ModeRecord seen) {
    boolean outlasts =
        claim.toldNanos - state.now() > 0 && claim.toldNanos - trusted(claim.primary) > 0;
    return seen.mode() == Mode.RETURNING && (claim.primary.inDoubt || outlasts);
  }

  /**
   * Tells whether the primary has lost what the node has said to hold there: the locks may have
   * returned, and another may have it.
   */
  boolean isTakenAway(PairClaim claim) {
    ModeRecord seen = state.record();
    return seen != null && seen.mode() == Mode.RETURNING && readyTold && !claim.primary.held;
  }

  void onReadySent(boolean ready) {
    readyTold |= ready;
  }

  /** The record has the node's word that it is not ready. */
  void onUnready() {
    readyTold = false;
  }

  long wantedCeiling() {
    return wantedCeiling;
  }

  void want(long token) {
    wantedCeiling = Math.max(wantedCeiling, token + Tokens.HEADROOM);
  }

  /** Until when a claim that holds its name lasts, by the node's clock. */
  long untilNanos(PairClaim claim) {
    ModeRecord seen = state.record();
    if (seen == null) {
      return state.now();
    }
    boolean inPrimary = PairState.isPrimary(seen);
    long until = trusted(claim.part(inPrimary));
    // Once it was said that all is in both, the locks may have returned before this node knows.
    boolean both =
        seen.mode() == Mode.RETURNING
            && (readyTold || (claim.primary.held && !claim.primary.inDoubt));
    if (both && claim.primary.untilNanos - until < 0) {
      until = trusted(claim.primary);
    }
    return until;
  }

  private static long trusted(Part part) {
    return Part.earlier(part.trustedNanos, part.untilNanos);
  }

  /** Returns the grant of a claim that is held as its node is told of it. */
  Grant grant(PairClaim claim, long baseNanos) {
    long nowMicros = state.clock.micros(baseNanos);
    long until = untilNanos(claim);
    long lasts = state.clock.microsBetween(baseNanos, until);
    claim.onTold(Part.earlier(until, state.warden.standing().untilNanos()));
    long trust = (state.warden.standing().untilNanos() - baseNanos) / 1_000;
    return new Grant(claim.id, claim.token, claim.span, nowMicros + lasts, nowMicros, trust);
  }

  /** Returns the grant of a claim as its node was told of it before: it lasts no longer by this. */
  Grant grantAsTold(PairClaim claim, long baseNanos) {
    long nowMicros = state.clock.micros(baseNanos);
    long lasts = Math.max(0, state.clock.microsBetween(baseNanos, claim.toldNanos));
    return new Grant(claim.id, claim.token, claim.span, nowMicros + lasts, nowMicros, lasts);
  }
}
