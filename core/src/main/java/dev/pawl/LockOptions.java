package dev.pawl;

import dev.pawl.text.DurationText;
import java.time.Duration;

/**
 * How a lock is held: an immutable value, checked when it is made.
 *
 * @param lease how long the store keeps the lock for a node that does not renew it: 100 ms to one
 *     day. A crashed holder's lock is free after this time.
 * @param renewal whether the node extends the lease, at a third of its length, until it is closed.
 *     Without it the lease ends after {@code lease}.
 * @param fair whether claims are granted in the order in which the store saw them. Without it, a
 *     newcomer that fits may overtake those who wait.
 * @param localPasses how many times a node may pass a grant on among its own threads before it goes
 *     back to the end of the store's queue: 0 to 1,000. It never does so for more than 10 ms.
 */
public record LockOptions(Duration lease, boolean renewal, boolean fair, int localPasses) {

  /** The shortest lease: below it, one slow round trip is a lost lock. */
  public static final Duration MIN_LEASE = Duration.ofMillis(100);

  /** The longest lease: a crashed holder blocks everybody for as long. */
  public static final Duration MAX_LEASE = Duration.ofDays(1);

  /** The most local passes: each grant reserves as many tokens. */
  public static final int MAX_LOCAL_PASSES = 1_000;

  /**
   * Ten seconds, renewed, fair, 64 local passes. Ten seconds outlast a garbage collection and a
   * failover of most stores, and still hand a dead holder's work on before people notice.
   */
  public static final LockOptions DEFAULT = new LockOptions(Duration.ofSeconds(10), true, true, 64);

  public LockOptions {
    DurationText.check("lease", lease, MIN_LEASE, MAX_LEASE);
    if (localPasses < 0 || localPasses > MAX_LOCAL_PASSES) {
      throw new IllegalArgumentException(
          "localPasses is " + localPasses + "; allowed is 0 to " + MAX_LOCAL_PASSES);
    }
  }

  /** Returns these options with another lease. */
  public LockOptions withLease(Duration lease) {
    return new LockOptions(lease, renewal, fair, localPasses);
  }

  /** Returns these options with renewal on or off. */
  public LockOptions withRenewal(boolean renewal) {
    return new LockOptions(lease, renewal, fair, localPasses);
  }

  /** Returns these options with fairness on or off. */
  public LockOptions withFair(boolean fair) {
    return new LockOptions(lease, renewal, fair, localPasses);
  }

  /** Returns these options with another budget of local passes. */
  public LockOptions withLocalPasses(int localPasses) {
    return new LockOptions(lease, renewal, fair, localPasses);
  }
}
