package dev.pawl.degrade.protocol;

import java.util.Set;

/**
 * What a node wants to do to the record. Each is one compare-and-set: it is worked out on the
 * record that was read, and if that has changed meanwhile, on the new one.
 */
public sealed interface Change {

  /** Has a node listed, which gives it a mode lease. It must hold nothing. */
  record Join(String node, boolean votes, Stores stores) implements Change {}

  /**
   * Renews a node's mode lease; says what it sees, how far it is, and which tokens it needs.
   *
   * @param epoch the epoch that the node acts by, which it thereby confirms. If the primary is
   *     being left then, all that ran under its leases has ended
   * @param ready whether all that it holds is in both stores, and will be
   * @param ceiling the highest token that it wants to be believed
   */
  record Beat(String node, long epoch, boolean ready, Sight sight, long ceiling)
      implements Change {}

  /** Takes the node that closes off the list. It holds nothing any more. */
  record Leave(String node) implements Change {}

  /**
   * Takes a silent node off the list: the sender has seen this beat, and no other, for a whole mode
   * lease on its own monotonic clock, begun after an answer that showed it.
   */
  record Expel(String node, long beat) implements Change {}

  /**
   * Gives up the primary.
   *
   * @param voters the nodes whose vote is not too old
   */
  record Switch(long epoch, Set<String> voters, String reason) implements Change {}

  /** Begins to return to the primary. */
  record Return(long epoch, Set<String> voters, String reason) implements Change {}

  /** Goes back to where the locks were before the change that is under way. */
  record Abort(long epoch, Set<String> voters, String reason) implements Change {}

  /**
   * Ends the change that is under way.
   *
   * @param raw a token of the store that has the locks from now on, not higher than those to come
   */
  record Complete(long epoch, long raw) implements Change {}

  /**
   * Takes a switch off the count of those of late: the sender has seen the mode and the count
   * unchanged for {@link Backoff#DECAY_NANOS} on its own monotonic clock.
   */
  record Calm(long epoch, int switches) implements Change {}

  /** A person's decision for one of the stores, whatever the votes. */
  record Force(long epoch, boolean toBackup, String reason) implements Change {}
}
