package dev.pawl;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a store knows of one name, at one moment of the store's own clock.
 *
 * @param token the highest token given out or reserved
 * @param mark the highest mark reached, where the name has one
 * @param holders who holds it, in the order of their grants
 * @param waiters who waits, the next one first
 * @param localWaiters how many callers of the node that asked wait in its own line, of whom the
 *     store knows one at the most
 */
public record LockInfo(
    String name,
    long token,
    OptionalLong mark,
    List<Holder> holders,
    List<Waiter> waiters,
    int localWaiters) {

  /** What a store knows, which is nothing of the lines inside nodes. */
  public LockInfo(
      String name, long token, OptionalLong mark, List<Holder> holders, List<Waiter> waiters) {
    this(name, token, mark, holders, waiters, 0);
  }

  /** Copies the lists. */
  public LockInfo {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /**
   * One who holds the name.
   *
   * @param claim the id of the claim, {@code node/counter}
   * @param label the node's name for people
   * @param actor the threads behind the claim, as the node last told it
   * @param exclusive whether it shares the name with nobody
   * @param permits how much it takes; of an exclusive claim, everything
   * @param token the token of the grant
   * @param since when it was granted, by the store's clock
   * @param left how long it lasts unless it is renewed
   */
  public record Holder(
      String claim,
      String label,
      String actor,
      boolean exclusive,
      int permits,
      long token,
      Instant since,
      Duration left) {}

  /**
   * One who waits for the name.
   *
   * @param claim the id of the claim, {@code node/counter}
   * @param label the node's name for people
   * @param actor the threads behind the claim, as the node last told it
   * @param exclusive whether it wants to share the name with nobody
   * @param permits how much it wants; of an exclusive claim, everything
   * @param since when the store saw it first
   */
  public record Waiter(
      String claim, String label, String actor, boolean exclusive, int permits, Instant since) {}
}
