package dev.pawl.machine;

import dev.pawl.spi.ClaimId;
import java.util.List;
import java.util.OptionalLong;

/**
 * Everything a store remembers of one name: an immutable value.
 *
 * @param lastToken the highest token given out or reserved; zero if there never was one
 * @param mark the mark that was reached
 * @param markUntilMicros until when it is kept if nobody uses the name; zero without a mark
 * @param holders who holds the name, in the order of their grants
 * @param queue who waits, the first to be granted first
 * @param ended claims that have ended, of whose acquire a copy may still be under way
 */
public record LockState(
    long lastToken,
    OptionalLong mark,
    long markUntilMicros,
    List<Holder> holders,
    List<Waiter> queue,
    List<Ended> ended) {

  /** A name that nobody has used. */
  public static final LockState EMPTY =
      new LockState(0, OptionalLong.empty(), 0, List.of(), List.of(), List.of());

  /** Copies the lists. */
  public LockState {
    holders = List.copyOf(holders);
    queue = List.copyOf(queue);
    ended = List.copyOf(ended);
  }

  /**
   * Tells whether a store may forget this name, because {@link #EMPTY} would behave the same:
   * everybody in it has expired by the clock, the next token comes from the clock, and the mark has
   * been kept for as long as it was to be.
   */
  public boolean isForgettable(long nowMicros) {
    return lastToken < nowMicros && markUntilMicros < nowMicros && isExpired(nowMicros);
  }

  /** Tells whether everybody in it has expired by the clock. */
  private boolean isExpired(long nowMicros) {
    for (Holder holder : holders) {
      if (holder.untilMicros() > nowMicros) {
        return false;
      }
    }
    for (Waiter waiter : queue) {
      if (waiter.aliveUntilMicros() > nowMicros) {
        return false;
      }
    }
    for (Ended claim : ended) {
      if (claim.untilMicros() > nowMicros) {
        return false;
      }
    }
    return true;
  }

  /**
   * A claim that holds the name.
   *
   * @param token the first token of the grant
   * @param span how many tokens the grant has
   * @param sinceMicros when it was granted
   * @param untilMicros when it ends unless it is renewed: at this moment it has expired
   */
  public record Holder(
      ClaimId claim,
      int permits,
      long token,
      int span,
      long sinceMicros,
      long untilMicros,
      String label,
      String actor) {

    /** Returns the highest token of the grant. */
    public long lastToken() {
      return token + span - 1;
    }

    /** Tells whether the grant was made while its node did not ask, and not renewed since. */
    boolean isUnconfirmed() {
      return untilMicros - sinceMicros == LockMachine.CLAIM_WINDOW_MICROS;
    }

    Holder renewed(int newPermits, long newUntilMicros, String newActor) {
      return new Holder(
          claim,
          Math.min(permits, newPermits),
          token,
          span,
          sinceMicros,
          // I2: a late copy of an earlier renewal must not shorten what the node counts on.
          Math.max(untilMicros, newUntilMicros),
          label,
          newActor);
    }
  }

  /**
   * A claim that waits.
   *
   * @param sinceMicros when the store saw it first
   * @param aliveUntilMicros when it is taken for dead unless it shows up again
   */
  public record Waiter(
      ClaimId claim,
      int permits,
      int capacity,
      long leaseMicros,
      int span,
      OptionalLong mark,
      boolean fair,
      long sinceMicros,
      long aliveUntilMicros,
      String label,
      String actor) {

    /** Tells whether it is believed alive for as long as one that is far back in the queue. */
    public boolean isFar(long nowMicros) {
      return aliveUntilMicros > nowMicros + LockMachine.WAITER_ALIVE_MICROS;
    }

    Waiter alive(long newAliveUntilMicros, String newActor) {
      return new Waiter(
          claim,
          permits,
          capacity,
          leaseMicros,
          span,
          mark,
          fair,
          sinceMicros,
          newAliveUntilMicros,
          label,
          newActor);
    }
  }

  /**
   * A claim that has ended, remembered so that a late copy of its acquire finds nothing to take
   * (I5).
   *
   * @param untilMicros when no copy can be under way any more
   */
  public record Ended(ClaimId claim, long untilMicros) {}
}
