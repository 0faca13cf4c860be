package dev.pawl.spring;

/** How a lease is checked before a transaction commits under it. */
public enum BeforeCommit {
  /** By what the node knows, without a round trip. */
  LOCAL,
  /** By the store, which knows of a forced release too: a round trip for each commit. */
  STORE
}
