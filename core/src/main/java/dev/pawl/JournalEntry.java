package dev.pawl;

import java.time.Instant;
import java.util.Map;

/**
 * One line of a store's journal: something that people want to look up later.
 *
 * @param at when, by the store's clock
 * @param kind what happened
 * @param name the lock or job
 * @param token the token of the grant it is about
 * @param node the label of the node that reports it
 * @param details more, by kind: a reason, an operator, an outcome
 */
public record JournalEntry(
    Instant at, Kind kind, String name, long token, String node, Map<String, String> details) {

  /** Copies the details. */
  public JournalEntry {
    details = Map.copyOf(details);
  }

  /** What an entry is about. */
  public enum Kind {
    /** A person released a lock by force. */
    FORCED_RELEASE,
    /** A node lost a lease it counted on. */
    LEASE_LOST,
    /** A job ran, and how it ended. */
    JOB_RUN,
    /** A person set a job back to an earlier tick. */
    JOB_RESET,
    /** A person paused a job. */
    JOB_PAUSED,
    /** A person let a paused job go on. */
    JOB_RESUMED,
    /** A person permitted a tick to be run once more. */
    JOB_RERUN,
    /** A person took such a permit back. */
    JOB_RERUN_WITHDRAWN,
    /** A primary and its backup changed places, or a person had them do so. */
    MODE_CHANGED
  }
}
