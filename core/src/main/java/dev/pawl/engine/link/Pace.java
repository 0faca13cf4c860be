package dev.pawl.engine.link;

import java.util.random.RandomGenerator;

/** How long a node waits for things, and how often it asks. */
public final class Pace {

  /** For how long after a grant a node may pass it on among its own threads (I7). */
  public static final long PASS_NANOS = 10_000_000;

  /** How long a call whose time is up waits for the store to confirm that its claim is gone. */
  public static final long PARTING_NANOS = 100_000_000;

  /** How long after it was made a grant that a signal told of is confirmed by a renewal. */
  public static final long CONFIRM_NANOS = 150_000_000;

  /** How long after a lease's end in the store to ask for it. */
  public static final long GRACE_NANOS = 25_000_000;

  /**
   * How often a waiter shows that it is alive, at the latest: less than once a second, and soon
   * enough for a second try before it is taken for dead (I6, I8).
   */
  static final long POLL_NANOS = 1_200_000_000;

  /** How many have to wait ahead of one that polls rarely, since its turn is far off. */
  public static final int FAR_AHEAD = 8;

  /** How often a waiter shows that it is alive that has {@link #FAR_AHEAD} others ahead of it. */
  static final long FAR_POLL_NANOS = 18_000_000_000L;

  /** How long the answer to a poll is waited for before it is repeated. */
  private static final long POLL_ATTEMPT_NANOS = 400_000_000;

  private static final long FIRST_RETRY_NANOS = 50_000_000;
  private static final long MOST_ATTEMPT_NANOS = 1_000_000_000;

  /** Whatever a call bears: nobody wants an answer any more, and a lease ends by itself. */
  private static final long MOST_CLOSING_NANOS = 3_000_000_000L;

  /** How many times longer than a new call a waiting one bears a silent store. */
  private static final int PATIENCE = 10;

  private final long responseNanos;
  private final RandomGenerator random;

  public Pace(long responseNanos, RandomGenerator random) {
    this.responseNanos = responseNanos;
    this.random = random;
  }

  /** Returns how long a new call bears a silent store. */
  public long responseNanos() {
    return responseNanos;
  }

  /** Returns how long a call that waits in the queue bears a silent store. */
  public long patienceNanos() {
    return PATIENCE * responseNanos;
  }

  /** Returns how long a release, and the end of a node, wait for what is repeated meanwhile. */
  public long closingNanos() {
    return Math.min(MOST_CLOSING_NANOS, responseNanos);
  }

  /** Returns how long one answer is waited for before the command is sent again. */
  public long attemptNanos() {
    return Math.min(MOST_ATTEMPT_NANOS, responseNanos / 3);
  }

  public long pollAttemptNanos() {
    return Math.min(POLL_ATTEMPT_NANOS, attemptNanos());
  }

  /** Returns the delay of the poll of one that has so many ahead; not the same for all waiters. */
  public long pollDelay(int ahead) {
    long longest = pollNanos(ahead);
    return longest - random.nextLong(longest / 8);
  }

  /** Returns the longest delay of the poll of one that has so many ahead. */
  public static long pollNanos(int ahead) {
    return ahead < FAR_AHEAD ? POLL_NANOS : FAR_POLL_NANOS;
  }

  /** Returns how long to wait before the n-th repetition: doubling, not the same for all. */
  public long retryDelay(int n) {
    long delay =
        Math.min(MOST_ATTEMPT_NANOS, FIRST_RETRY_NANOS << Math.min(10, Math.max(0, n - 1)));
    return delay / 2 + random.nextLong(delay / 2);
  }
}
