package dev.pawl.spi;

/** The store's answer to {@link Command.Evict}. */
public sealed interface EvictReply {

  /** The holder was removed. */
  record Evicted(ClaimId claim, String label) implements EvictReply {}

  /** Nobody holds the name with that token. */
  record Changed() implements EvictReply {}
}
