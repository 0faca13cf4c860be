package dev.pawl.degrade.protocol;

/**
 * A node that has a mode lease, as the record lists it.
 *
 * @param node the node's id
 * @param votes whether it has a say; a short-lived process has none
 * @param beat changes whenever the node writes, and never takes a value again that it had
 * @param epoch the epoch that it has confirmed
 * @param ready whether all that it holds is in both stores, while the locks return
 * @param sight what it saw of the primary when it wrote
 */
public record Member(
    String node, boolean votes, long beat, long epoch, boolean ready, Sight sight) {}
