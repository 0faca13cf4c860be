package dev.pawl.degrade;

import dev.pawl.degrade.protocol.Footing;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the pair knows of one claim: where it was asked for and where it holds its name. */
final class PairClaim {

  enum State {
    /** It was asked for, in one of the stores at least. */
    ASKING,
    /** It waits; it may have been granted the name in the backup, and not yet in the primary. */
    WAITING,
    /** Its node counts on it. */
    HELD,
    /** Its node is being told that it no longer may. */
    LOST,
    /** It is being given up. */
    ENDING
  }

  /** What there is of it in one of the stores. */
  static final class Part {
    /** The epoch of the name that it was asked for by; zero if it was not. */
    long names;

    boolean held;

    /** Since when the node knows that it is held. */
    long heldNanos;

    long raw;
    int span;
    long untilNanos;

    /** Bounded by a session, perhaps; by the node's clock. */
    long trustedNanos;

    /** Whether the last renewal was not answered, so that nobody knows whether it is held. */
    boolean inDoubt;

    void clear() {
      names = 0;
      held = false;
      inDoubt = false;
    }

    /** Takes a grant, heard of now, that was answered to what was sent at that moment. */
    void onGrant(Grant grant, long baseNanos, long now) {
      if (held && grant.token() < raw) {
        return; // To an earlier copy of the acquire: it expired there before this one was granted.
      }
      if (!held || raw != grant.token()) {
        untilNanos = baseNanos;
        trustedNanos = baseNanos;
        heldNanos = now;
      }
      held = true;
      raw = grant.token();
      span = grant.span();
      extend(grant, baseNanos);
    }

    void extend(Grant grant, long baseNanos) {
      inDoubt = false;
      long lasts = grant.untilMicros() - grant.nowMicros();
      long trust = Math.min(lasts, grant.trustMicros());
      untilNanos = later(untilNanos, baseNanos + lasts * 1_000);
      trustedNanos = later(trustedNanos, baseNanos + trust * 1_000);
    }

    private static long later(long a, long b) {
      return a - b > 0 ? a : b;
    }

    static long earlier(long a, long b) {
      return a - b < 0 ? a : b;
    }
  }

  /** A renewal that is answered so long after the end of the lease comes too late. */
  private static final long OVER_NANOS = 1_000_000_000L;

  final ClaimId id;
  final String name;
  final Part primary = new Part();
  final Part backup = new Part();
  State state = State.ASKING;
  Command.@Nullable Acquire asked;

  /** The tokens as its node knows them. */
  long token;

  int span;

  /** Until when its node counts on it at the most, by what it was told. */
  long toldNanos;

  private boolean told;

  /** How much it holds; fewer than it asked for if it goes on as a shared one. */
  int permits;

  /** When it was last sent to the primary, while the locks return. */
  long upgradeNanos;

  boolean upgrading;

  /** Whether it keeps the name of a job whose run has ended: nobody counts on it. */
  boolean kept;

  /** When it was asked for last. */
  long askedNanos;

  long endingNanos;

  /** Answers that its node waits for. */
  final List<CompletableFuture<?>> pending = new ArrayList<>(1);

  PairClaim(ClaimId id, String name) {
    this.id = id;
    this.name = name;
  }

  @Override
  public String toString() {
    return name
        + " "
        + id
        + " "
        + state
        + " "
        + footing()
        + " asked "
        + primary.names
        + ","
        + backup.names;
  }

  void onTold(long untilNanos) {
    toldNanos = told ? Part.later(toldNanos, untilNanos) : untilNanos;
    told = true;
  }

  /** Tells whether its lease has ended in both stores, and nobody has renewed it. */
  boolean isOver(long now) {
    boolean inPrimary = primary.held && primary.untilNanos + OVER_NANOS - now > 0;
    return !inPrimary && !(backup.held && backup.untilNanos + OVER_NANOS - now > 0);
  }

  /** Tells whether its lease has ended, wherever it was asked for last. */
  boolean isOverSinceAsked(long now) {
    Command.Acquire last = asked;
    return last != null && now - askedNanos > last.leaseMicros() * 1_000 + OVER_NANOS;
  }

  Part part(boolean ofPrimary) {
    return ofPrimary ? primary : backup;
  }

  Footing footing() {
    return new Footing(primary.held ? primary.names : 0, backup.held ? backup.names : 0);
  }
}
