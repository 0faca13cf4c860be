package dev.pawl.engine.claims;

import dev.pawl.spi.Signal;
import org.jspecify.annotations.Nullable;

/** What an event means for a claim: what is to be done next. */
public sealed interface Verdict {

  /** Nothing has changed that anybody has to act on. */
  Verdict NOTHING = new Nothing();

  /** The acquire is to be sent, for the first time or again. */
  Verdict ASK = new Ask();

  /** A renewal is to be sent; of a claim that waits, it is the heartbeat. */
  Verdict RENEW = new Renew();

  /** The store has put it in its queue. */
  Verdict WAITING = new Waiting();

  /** The store has forgotten a claim that waited. */
  Verdict FORGOTTEN = new Forgotten();

  record Nothing() implements Verdict {}

  record Ask() implements Verdict {}

  record Renew() implements Verdict {}

  record Waiting() implements Verdict {}

  record Forgotten() implements Verdict {}

  /**
   * The claim holds the name.
   *
   * @param atOnce whether the store granted it in answer to its acquire, so that nobody was ahead
   */
  record Granted(boolean atOnce) implements Verdict {}

  /**
   * Somebody else has the name, and the store has forgotten the claim.
   *
   * @param askAgain whether to ask again now and not only after the back-off
   */
  record Busy(boolean askAgain) implements Verdict {}

  /** The mark that the claim wanted has been reached; the store has forgotten the claim. */
  record Done(long mark) implements Verdict {}

  /**
   * The claim held the name and does so no longer.
   *
   * @param mayStillHold whether the store may still have it, and is to be told
   * @param told is run when whoever held it has been told
   */
  record Lost(String reason, boolean mayStillHold, Runnable told) implements Verdict {

    public Lost(String reason, boolean mayStillHold) {
      this(reason, mayStillHold, Signal.Lost.NOBODY_WAITS);
    }
  }

  /** Nobody knows, and it is not asked for any more. */
  record Failed(@Nullable Throwable error) implements Verdict {}
}
