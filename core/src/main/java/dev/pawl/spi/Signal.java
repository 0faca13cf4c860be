package dev.pawl.spi;

import java.util.Optional;

/**
 * What a store tells a node unasked. A hint: each may be lost, late or doubled, and a timer stands
 * behind every one (I8).
 */
public sealed interface Signal {

  /** Returns the claim that it is for, and so the node; empty if it is for everybody. */
  default Optional<ClaimId> recipient() {
    return Optional.empty();
  }

  /** A waiting claim was granted, for the claim window at first. */
  record Granted(String name, Grant grant) implements Signal {
    @Override
    public Optional<ClaimId> recipient() {
      return Optional.of(grant.claim());
    }
  }

  /** A waiting claim left the queue because its mark was reached. */
  record Done(String name, ClaimId claim, long mark) implements Signal {
    @Override
    public Optional<ClaimId> recipient() {
      return Optional.of(claim);
    }
  }

  /**
   * A waiting claim that was far back when it was last heard of stands in the way of one that could
   * be granted, or is that one. Its node shows that it is alive, or it loses its place (I6).
   */
  record Summoned(String name, ClaimId claim) implements Signal {
    @Override
    public Optional<ClaimId> recipient() {
      return Optional.of(claim);
    }
  }

  /** A holder was removed by force. */
  record Evicted(String name, ClaimId claim) implements Signal {
    @Override
    public Optional<ClaimId> recipient() {
      return Optional.of(claim);
    }
  }

  /**
   * The store has lost a claim, asked for, waiting or granted: the session that stood behind it
   * ended. Whatever it has answered for the claim before counts no longer.
   *
   * @param told is run when nobody counts on the claim any more: its holder is interrupted, and
   *     what he wanted done at the loss has returned. A node that is closed may not run it
   */
  record Lost(String name, ClaimId claim, String reason, Runnable told) implements Signal {

    /** Where nobody waits until it is told. */
    public static final Runnable NOBODY_WAITS =
        new Runnable() {
          @Override
          public void run() {}
        };

    /** The loss of a claim, where nobody waits until it is told. */
    public Lost(String name, ClaimId claim, String reason) {
      this(name, claim, reason, NOBODY_WAITS);
    }

    @Override
    public Optional<ClaimId> recipient() {
      return Optional.of(claim);
    }
  }

  /** Something changed about a name: those who wait for it should ask. */
  record Changed(String name) implements Signal {}

  /**
   * The locks are elsewhere now, or on their way: of a store that has them in more than one place.
   *
   * @param name what such changes are journalled under
   * @param mode where they are, as {@link dev.pawl.Store#mode()} says it
   * @param reason why, for people
   */
  record ModeChanged(String name, String mode, String reason) implements Signal {}

  /** Signals may have been missed: everybody who waits should ask. */
  record Missed() implements Signal {}
}
