package dev.pawl;

import java.util.List;

/** The leases of a {@link LockGroup}, held together and closed together. */
public interface LeaseGroup extends AutoCloseable {

  /** Returns the single leases, in the order in which they were taken. */
  List<Lease> leases();

  /**
   * Returns the token of one of the names.
   *
   * @throws IllegalArgumentException if the group has no such name
   */
  long token(String name);

  /** Tells, without a round trip, whether every lease of the group is still held. */
  boolean isHeld();

  /**
   * Returns only if every lease of the group is still held.
   *
   * @throws LeaseLostException naming the first that is not
   */
  void ensureHeld();

  /** Runs {@code action} once, as soon as the first of the leases is lost. */
  void onLost(Runnable action);

  /**
   * Releases all, the last taken first. A second close does nothing.
   *
   * @throws LeaseLostException if one was lost before; the others are released all the same
   */
  @Override
  void close();
}
