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
   * Runs {@code action} on the callback executor when the lease is lost; at once if it is already.
   * Never after a close that released it.
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
}
