package dev.pawl.spi;

import java.util.OptionalLong;

/**
 * What a node asks of a store about one name. Every command may be sent again with the same values:
 * the effect is that of once (I5).
 */
public sealed interface Command {

  /** The permits and the capacity of an exclusive claim: it takes everything there is. */
  int EVERYTHING = 1 << 30;

  /** The highest mark: it must survive as a double, which is what some stores count with. */
  long MAX_MARK = (1L << 53) - 1;

  /** How long a mark is kept at least: longer than any node's clock is late. */
  long MIN_KEEP_MICROS = 7L * 24 * 3600 * 1_000_000;

  /** Returns the name the command is about. */
  String name();

  /**
   * Asks for the name.
   *
   * @param claim the id of this request, the same when it is repeated
   * @param permits how much it takes: {@link #EVERYTHING}, or 1 and more
   * @param capacity how much may be held together with it: its permits at least
   * @param leaseMicros how long the grant lasts unless it is renewed
   * @param span how many tokens the grant reserves: 1 for each holder the node may pass it on to
   * @param mark the mark it wants to reach: refused with {@code Done} if the name has reached it
   * @param queue whether to wait in the queue if it cannot be granted now
   * @param fair whether nobody may be granted ahead of it once it waits
   * @param label the node's name for people
   * @param actor the thread behind the claim, for people and for the wait-for graph
   */
  record Acquire(
      String name,
      ClaimId claim,
      int permits,
      int capacity,
      long leaseMicros,
      int span,
      OptionalLong mark,
      boolean queue,
      boolean fair,
      String label,
      String actor)
      implements Command {

    /** Checks the ranges every store relies on. */
    public Acquire {
      if (permits < 1 || capacity < permits || capacity > EVERYTHING) {
        throw new IllegalArgumentException("permits " + permits + " of capacity " + capacity);
      }
      if (leaseMicros < 1 || span < 1) {
        throw new IllegalArgumentException("lease " + leaseMicros + " µs, span " + span);
      }
      checkMark(mark);
    }

    /** Tells whether the claim shares the name with nobody. */
    public boolean exclusive() {
      return permits == EVERYTHING;
    }
  }

  /**
   * Extends a holder's lease or shows that a waiter is alive; heartbeat and poll in one. Permits
   * are lowered, and another lease is asked for, only when the grant is known.
   *
   * @param permits how much the holder goes on with: fewer than before gives up the rest, more is
   *     ignored
   * @param actor the thread behind the claim now
   */
  record Renew(String name, ClaimId claim, int permits, long leaseMicros, String actor)
      implements Command {

    /** Checks the ranges every store relies on. */
    public Renew {
      if (permits < 1 || leaseMicros < 1) {
        throw new IllegalArgumentException("permits " + permits + ", lease " + leaseMicros + " µs");
      }
    }
  }

  /**
   * Gives up a grant.
   *
   * @param usedToken the highest token of the grant's span that anybody was given
   * @param mark the mark that is reached by it
   * @param keepMicros how long that mark is kept if nobody reaches a later one: {@link
   *     #MIN_KEEP_MICROS} and more
   * @param late whether a copy of the claim's acquire may still be under way and must find nothing
   */
  record Release(
      String name, ClaimId claim, long usedToken, OptionalLong mark, long keepMicros, boolean late)
      implements Command {

    /** Checks the ranges every store relies on. */
    public Release {
      checkMark(mark);
      if (keepMicros < MIN_KEEP_MICROS || keepMicros > MAX_MARK) {
        throw new IllegalArgumentException("a mark is kept for " + keepMicros + " µs");
      }
    }

    /** A release whose mark, if it has one, is kept for {@link #MIN_KEEP_MICROS}. */
    public Release(String name, ClaimId claim, long usedToken, OptionalLong mark, boolean late) {
      this(name, claim, usedToken, mark, MIN_KEEP_MICROS, late);
    }
  }

  /**
   * Gives up a grant and queues again behind everybody else, in one step. If the release has a
   * mark, it is the end of a tick, and the next claim keeps the name for a while after it: it is
   * asked for only if the release finds its claim. A copy that comes later is told where the next
   * claim stands and takes nothing; it is busy even if nobody holds the name.
   */
  record Yield(Release release, Acquire next) implements Command {

    /** Checks that both are about one name, and by different claims. */
    public Yield {
      if (release.claim().equals(next.claim())) {
        throw new IllegalArgumentException("yield of " + next.claim() + " to itself");
      }
      if (!release.name().equals(next.name())) {
        throw new IllegalArgumentException("yield from " + release.name() + " to " + next.name());
      }
    }

    @Override
    public String name() {
      return next.name();
    }
  }

  /**
   * Gives up a claim, whether it waits or was granted meanwhile.
   *
   * @param late whether a copy of the claim's acquire may still be under way and must find nothing
   */
  record Cancel(String name, ClaimId claim, boolean late) implements Command {}

  /** Removes the holder whose grant has that token, and nobody if there is none. */
  record Evict(String name, long token) implements Command {}

  /**
   * Lowers the mark of a name, which nothing else does: a person's correction of one that was
   * raised by mistake.
   *
   * @param mark the mark that the person saw: nothing happens if the name has another
   * @param to the mark from now on, lower than that; or none
   */
  record Reset(String name, long mark, OptionalLong to) implements Command {

    /** Checks that the mark falls. */
    public Reset {
      checkMark(OptionalLong.of(mark));
      checkMark(to);
      if (to.isPresent() && to.getAsLong() >= mark) {
        throw new IllegalArgumentException(
            "a mark is set back from " + mark + ", not to " + to.getAsLong());
      }
    }
  }

  private static void checkMark(OptionalLong mark) {
    if (mark.isPresent() && (mark.getAsLong() < 0 || mark.getAsLong() > MAX_MARK)) {
      throw new IllegalArgumentException(
          "mark is " + mark.getAsLong() + "; allowed is 0 to " + MAX_MARK);
    }
  }
}
