package dev.pawl.redis;

import dev.pawl.redis.port.RedisUrl;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * How a store uses Redis: an immutable value, checked when it is made.
 *
 * @param keyPrefix what all keys and channels begin with: 1 to 63 of {@code A-Z a-z 0-9 _ . -}. All
 *     nodes of an application use the same one; two applications in one Redis use two.
 * @param commandTimeout how long an answer may take before the outcome is taken for unknown: 10 ms
 *     to 1 minute
 * @param replicas how many replicas must have an acquired lock before it counts: 0 to 100
 * @param replicaTimeout how long to wait for them: 1 ms to 1 minute
 */
public record RedisOptions(
    String keyPrefix, Duration commandTimeout, int replicas, Duration replicaTimeout) {

  private static final Duration MIN_COMMAND_TIMEOUT = Duration.ofMillis(10);
  private static final Duration MIN_REPLICA_TIMEOUT = Duration.ofMillis(1);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
  private static final int MOST_REPLICAS = 100;

  /** Keys begin with {@code pawl}, answers take 2 s at most, no replica is waited for. */
  public static final RedisOptions DEFAULT =
      new RedisOptions("pawl", Duration.ofSeconds(2), 0, Duration.ofMillis(500));

  public RedisOptions {
    Objects.requireNonNull(keyPrefix, "keyPrefix");
    if (!keyPrefix.matches("[A-Za-z0-9_.-]{1,63}")) {
      throw new IllegalArgumentException(
          "keyPrefix is \"" + keyPrefix + "\"; allowed are 1 to 63 of A-Z a-z 0-9 _ . -");
    }
    DurationText.check("commandTimeout", commandTimeout, MIN_COMMAND_TIMEOUT, MAX_TIMEOUT);
    DurationText.check("replicaTimeout", replicaTimeout, MIN_REPLICA_TIMEOUT, MAX_TIMEOUT);
    if (replicas < 0 || replicas > MOST_REPLICAS) {
      throw new IllegalArgumentException(
          "replicas is " + replicas + "; allowed is 0 to " + MOST_REPLICAS);
    }
  }

  /** Returns these options with another prefix of keys. */
  public RedisOptions withKeyPrefix(String keyPrefix) {
    return new RedisOptions(keyPrefix, commandTimeout, replicas, replicaTimeout);
  }

  /** Returns these options with another timeout for answers. */
  public RedisOptions withCommandTimeout(Duration commandTimeout) {
    return new RedisOptions(keyPrefix, commandTimeout, replicas, replicaTimeout);
  }

  /**
   * Returns these options with so many replicas to wait for. An acquire is then answered when that
   * many replicas have it, and fails if they do not in that time. It makes the loss of a lock in a
   * failover less likely, and does not rule it out: the replica that is promoted may be another
   * one. A grant that is passed on by a release is not waited for.
   */
  public RedisOptions waitForReplicas(int replicas, Duration timeout) {
    return new RedisOptions(keyPrefix, commandTimeout, replicas, timeout);
  }

  /** Returns these options with what a URL says of them. */
  RedisOptions with(RedisUrl url) {
    String replicas = url.parameters().getOrDefault("replicas", "" + replicas());
    if (!replicas.matches("[0-9]{1,3}")) {
      throw new IllegalArgumentException("replicas is \"" + replicas + "\"; it must be a number");
    }
    return new RedisOptions(
        url.parameters().getOrDefault("prefix", keyPrefix),
        url.duration("timeout", commandTimeout),
        Integer.parseInt(replicas),
        url.duration("replicaTimeout", replicaTimeout));
  }
}
