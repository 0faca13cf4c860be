package dev.pawl;

import java.time.Duration;

/**
 * A hold on a name, for a time that the node keeps extending.
 *
 * <p>The handle owns the hold: any thread may use and close it. A lease is <em>lost</em> when it
 * could not be renewed in time, or when somebody released it by force. From that moment {@link
 * #isHeld()} is false, and it is so before anybody else can be granted the name, except after a
 * forced release, which takes effect at once and is noticed a moment later. What the work under a
 * lost lease still writes is kept out by its {@link #token()}, wherever the resource checks it.
 *
 * <p><b>Keep the handle for as long as the hold is to last</b>, and close it: a lease whose handle
 * has been garbage-collected can be closed by nobody. The node notices it at the next renewal, logs
 * a warning, and lets the lease end as lost.
 */
public interface Lease extends AutoCloseable {

  /** Returns the name that is held. */
  String name();

  /** Returns the fencing token: higher than that of every earlier exclusive grant of the name. */
  long token();

  /** Tells, without a round trip, whether this node may still count on the lease. */
  boolean isHeld();

  /** Returns how long the node may count on the lease without renewing it; zero if it is lost. */
  Duration remaining();

  /**
   * Returns only if the lease is still held.
   *
   * @throws LeaseLostException if it is lost or closed
   */
  void ensureHeld();

  /**
   * Asks the store whether the lease still stands, and returns only if it does: for the moment
   * before a commit, where {@link #ensureHeld()} is not enough, such as after a forced release.
   * What another node does in the next moment it cannot know; the {@link #token()} helps there.
   *
   * @throws LeaseLostException if it is lost or closed
   * @throws StoreUnavailableException if the store cannot be asked; the lease is as it was
   * @throws OutcomeUnknownException if it did not answer, or cannot tell; the lease is as it was
   */
  void confirm();

  /**
   * Has the lease last for at least that time from now, and returns when the store has agreed. It
   * never shortens a lease. One that is renewed is renewed as before.
   *
   * @param atLeast 100 ms to one day
   * @throws LeaseLostException if it is lost or closed
   * @throws StoreUnavailableException if the store cannot be asked; the lease is as it was
   * @throws OutcomeUnknownException if it did not answer; the lease may last longer in the store
   *     than {@link #remaining()} says
   */
  void extend(Duration atLeast);

  /**
   * Runs {@code action} when the lease is lost, on a thread for callbacks; at once if it is
   * already. It runs, too, if the node is closed while the lease is held; never after a close that
   * released it.
   */
  void onLost(Runnable action);

  /**
   * Releases the hold. A second close does nothing. If the store cannot be reached, the release is
   * repeated in the background for as long as the lease would last.
   *
   * @throws LeaseLostException if it had been lost: what was done under it may not have been alone
   */
  @Override
  void close();

  /**
   * Ends the hold as {@link #close()} does, but keeps the name from everybody for that time from
   * now, also if the node is closed meanwhile, or dies: then until the end of the lease, if that is
   * later. A store whose locks end with its connection, ZooKeeper and the row lock of SQL, keeps it
   * for as long as that is open. For work that must not be done again too soon.
   *
   * @param keep up to one day; zero, or less, is {@link #close()}
   * @throws LeaseLostException if it had been lost: what was done under it may not have been alone
   */
  void closeAfter(Duration keep);
}
