package dev.pawl.spi;

/**
 * What a store tells a node unasked. A hint: each may be lost, late or doubled, and a timer stands
 * behind every one (I8).
 */
public sealed interface Signal {

  /** A waiting claim was granted, for the claim window at first. */
  record Granted(String name, Grant grant) implements Signal {}

  /** A waiting claim left the queue because its mark was reached. */
  record Done(String name, ClaimId claim, long mark) implements Signal {}

  /** A holder was removed by force. */
  record Evicted(String name, ClaimId claim) implements Signal {}

  /** The store has lost a claim, waiting or granted: the session that stood behind it ended. */
  record Lost(String name, ClaimId claim, String reason) implements Signal {}

  /** Something changed about a name: those who wait for it should ask. */
  record Changed(String name) implements Signal {}

  /** Signals may have been missed: everybody who waits should ask. */
  record Missed() implements Signal {}
}
