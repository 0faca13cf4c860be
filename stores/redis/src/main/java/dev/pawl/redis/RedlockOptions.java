package dev.pawl.redis;

import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * How Redlock uses its servers: an immutable value, checked when it is made.
 *
 * @param keyPrefix what all keys and channels begin with: 1 to 63 of {@code A-Z a-z 0-9 _ . -}
 * @param serverTimeout how long one server may take to answer before it counts as down: 5 ms to 10
 *     s. Far below the lease, which every wait for a server shortens.
 * @param restartDelay how long a server must have been up before it may vote: 0 to 1 day, in whole
 *     seconds. A server without persistence forgets whom it granted when it restarts; with a delay
 *     of the longest lease, whatever it forgot has ended by then. 0 for servers that write every
 *     change to disk before they answer.
 */
public record RedlockOptions(String keyPrefix, Duration serverTimeout, Duration restartDelay) {

  private static final Duration MIN_TIMEOUT = Duration.ofMillis(5);
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration MAX_DELAY = Duration.ofDays(1);

  /** Keys begin with {@code pawl}, a server has 250 ms to answer, a restarted one votes at once. */
  public static final RedlockOptions DEFAULT =
      new RedlockOptions("pawl", Duration.ofMillis(250), Duration.ZERO);

  public RedlockOptions {
    Objects.requireNonNull(keyPrefix, "keyPrefix");
    if (!keyPrefix.matches("[A-Za-z0-9_.-]{1,63}")) {
      throw new IllegalArgumentException(
          "keyPrefix is \"" + keyPrefix + "\"; allowed are 1 to 63 of A-Z a-z 0-9 _ . -");
    }
    DurationText.check("serverTimeout", serverTimeout, MIN_TIMEOUT, MAX_TIMEOUT);
    if (restartDelay.isNegative()
        || restartDelay.compareTo(MAX_DELAY) > 0
        || restartDelay.toNanosPart() != 0) {
      throw new IllegalArgumentException(
          "restartDelay is "
              + DurationText.format(restartDelay)
              + "; allowed are whole seconds up to "
              + DurationText.format(MAX_DELAY));
    }
  }

  /** Returns these options with another prefix of keys. */
  public RedlockOptions withKeyPrefix(String keyPrefix) {
    return new RedlockOptions(keyPrefix, serverTimeout, restartDelay);
  }

  /** Returns these options with another timeout for each server. */
  public RedlockOptions withServerTimeout(Duration serverTimeout) {
    return new RedlockOptions(keyPrefix, serverTimeout, restartDelay);
  }

  /** Returns these options with another delay before a restarted server votes. */
  public RedlockOptions withRestartDelay(Duration restartDelay) {
    return new RedlockOptions(keyPrefix, serverTimeout, restartDelay);
  }
}
