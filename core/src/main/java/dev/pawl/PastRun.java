package dev.pawl;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A run of a job that has ended, as the store's journal has it.
 *
 * @param job the name of the job
 * @param tick the tick that was run
 * @param token the fencing token of the run
 * @param node the label of the node that ran it
 * @param start when it began, by the store's clock
 * @param took how long it took
 * @param ending how it ended
 * @param error what the body threw, or why it left its tick, if it did
 * @param period the period of {@link Job#every}, if the tick was one of those
 */
public record PastRun(
    String job,
    Instant tick,
    long token,
    String node,
    Instant start,
    Duration took,
    Ending ending,
    Optional<String> error,
    Optional<Duration> period) {

  /** How a run ended; as text, the words of the journal. */
  public enum Ending {
    /** The body returned, and the tick is done. */
    RAN("ran"),
    /** The body threw, and the tick is done nevertheless. */
    FAILED("failed"),
    /** The body threw, and the tick is left to another node. */
    RETRIED("failed, left to another node"),
    /** The run was lost before the body ended; the tick is left to another node. */
    LOST("lost, left to another node"),
    /** The body left its tick to another node, on purpose. */
    LEFT("left to another node");

    private final String words;

    Ending(String words) {
      this.words = words;
    }

    /** Tells whether the tick was done after this run. */
    public boolean endsItsTick() {
      return this == RAN || this == FAILED;
    }

    @Override
    public String toString() {
      return words;
    }
  }
}
