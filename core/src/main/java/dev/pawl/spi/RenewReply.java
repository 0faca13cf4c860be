package dev.pawl.spi;

/** The store's answer to {@link Command.Renew}. */
public sealed interface RenewReply {

  /**
   * The claim holds the name. Where it may, and nobody knows, as when too many of several servers
   * are silent, the grant has no time left: its holder goes on counting on what it has, and asks
   * again.
   */
  record Held(Grant grant) implements RenewReply {

    /** Tells whether nobody knows. */
    public boolean inDoubt() {
      return grant.untilMicros() <= grant.nowMicros();
    }
  }

  /** The claim waits. */
  record Waiting(Contention contention) implements RenewReply {}

  /** The store knows no such claim, or no longer. */
  record Gone() implements RenewReply {}
}
