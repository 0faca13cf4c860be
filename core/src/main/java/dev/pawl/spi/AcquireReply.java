package dev.pawl.spi;

/** The store's answer to {@link Command.Acquire} and {@link Command.Yield}. */
public sealed interface AcquireReply {

  /** The claim holds the name; the same grant if it did so before. */
  record Granted(Grant grant) implements AcquireReply {}

  /** The claim waits in the queue, and will be told by a {@link Signal}. */
  record Queued(Contention contention) implements AcquireReply {}

  /**
   * The claim is not granted, and the store has forgotten it. A store without a queue answers so to
   * a claim that wanted to wait, and is asked again.
   */
  record Busy(Contention contention) implements AcquireReply {}

  /** The mark has been reached; the store has forgotten the claim. */
  record Done(long mark) implements AcquireReply {}

  /** The claim had ended before this copy of its acquire arrived. */
  record Ended() implements AcquireReply {}
}
