package dev.pawl.bench.contest;

/**
 * The servers of a contest.
 *
 * @param address how a competitor finds them
 * @param commands how many commands its clients have sent so far; zero where nobody counts
 * @param end what stops them
 */
public record Backend(String address, Count commands, Runnable end) implements AutoCloseable {

  /** A number that is read from a server. */
  @FunctionalInterface
  public interface Count {

    /** Reads it. */
    long read();
  }

  @Override
  public void close() {
    end.run();
  }
}
