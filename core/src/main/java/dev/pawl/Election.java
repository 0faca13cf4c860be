package dev.pawl;

/**
 * A leader election: one node at a time leads.
 *
 * <pre>{@code
 * try (Election.Campaign campaign = pawl.election("scheduler").lead(term -> serve(term))) {
 *   …
 * }
 * }</pre>
 *
 * <p>In the store its name is {@code election:} and the election's name: a lock and an election of
 * one name have nothing to do with each other.
 */
public interface Election {

  /** What the name of an election begins with in the store. */
  String PREFIX = "election:";

  /** Returns the name of the election, without the prefix. */
  String name();

  /**
   * Stands for election from now on, without keeping a thread. Whenever this node is elected, the
   * body runs on a thread of the node: its term lasts until the body returns or throws, or is lost,
   * which interrupts it. Then the node stands again, behind everybody who waits.
   *
   * @return what ends the campaign when it is closed
   */
  Campaign lead(Leader leader);

  /** What the elected node does. */
  @FunctionalInterface
  interface Leader {

    /** Leads for one term; returns to step down. */
    void lead(Term term) throws Exception;
  }

  /** One time in office. */
  interface Term {

    /** Returns the fencing token: higher than that of every earlier term. */
    long token();

    /** Tells, without a round trip, whether this node may still count on being the leader. */
    boolean isHeld();

    /**
     * Returns only if this node may still count on being the leader.
     *
     * @throws LeaseLostException if it may not
     */
    void ensureHeld();

    /**
     * Runs {@code action} on the callback executor when the term is lost; at once if it is already.
     */
    void onLost(Runnable action);
  }

  /** A node's standing for election. */
  interface Campaign extends AutoCloseable {

    /** Tells, without a round trip, whether this node leads now. */
    boolean isLeading();

    /**
     * Ends the campaign: a leader is interrupted, and steps down when its body returns. A second
     * close does nothing.
     */
    @Override
    void close();
  }
}
