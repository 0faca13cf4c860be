package dev.pawl;

import java.time.Duration;

/**
 * Something that happened to a lock of this node, or to the store of all of them: what metrics and
 * alerts are made of.
 */
public sealed interface LockEvent {

  /** Returns the name of the lock; of the entries in the journal, if it is about all of them. */
  String name();

  /**
   * A lease was granted.
   *
   * @param waited how long the caller waited, in the node and in the store together
   * @param passed whether another thread of this node passed it on, without a round trip
   */
  record Acquired(String name, long token, Duration waited, boolean passed) implements LockEvent {}

  /** A lease was closed while it was held. */
  record Released(String name, long token, Duration held) implements LockEvent {}

  /** A lease was lost; {@code reason} says by what. */
  record Lost(String name, long token, String reason) implements LockEvent {}

  /** A call gave up because somebody else held the lock. */
  record Refused(String name, Duration waited) implements LockEvent {}

  /** A call failed, or a release could not be delivered, because of the store. */
  record StoreFailed(String name, String operation, Throwable cause) implements LockEvent {}

  /**
   * The locks have left the primary for its backup, or return, or have: each node is told once of
   * each change that it sees.
   *
   * @param mode where they are, as {@link Store#mode()} says it: {@code primary}, {@code leaving},
   *     {@code backup} or {@code returning}
   * @param reason why, for people
   */
  record ModeChanged(String name, String mode, String reason) implements LockEvent {}
}
