package dev.pawl.spi;

/** The store's answer to {@link Command.Renew}. */
public sealed interface RenewReply {

  /** The claim holds the name. */
  record Held(Grant grant) implements RenewReply {}

  /** The claim waits. */
  record Waiting(Contention contention) implements RenewReply {}

  /** The store knows no such claim, or no longer. */
  record Gone() implements RenewReply {}
}
