package dev.pawl.hazelcast;

import dev.pawl.hazelcast.member.MapNames;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * How a store uses Hazelcast: an immutable value, checked when it is made.
 *
 * @param prefix what the names of our maps and topics begin with: 1 to 63 of {@code A-Z a-z 0-9 _
 *     -}. All nodes of an application use the same one; two applications in one cluster use two.
 * @param timeout how long an answer may take before the outcome is taken for unknown: 10 ms to 1
 *     minute
 * @param connectTimeout how long the first connection may take: 100 ms to 5 minutes
 */
public record HazelcastOptions(String prefix, Duration timeout, Duration connectTimeout) {

  private static final Duration MIN_TIMEOUT = Duration.ofMillis(10);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofMillis(100);
  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofMinutes(5);

  /** Maps begin with {@code pawl}, answers take 2 s at most, the first connection 10 s. */
  public static final HazelcastOptions DEFAULT =
      new HazelcastOptions("pawl", Duration.ofSeconds(2), Duration.ofSeconds(10));

  /** Checks the values. */
  public HazelcastOptions {
    Objects.requireNonNull(prefix, "prefix");
    if (!prefix.matches("[A-Za-z0-9_-]{1,63}")) {
      throw new IllegalArgumentException(
          "prefix is \"" + prefix + "\"; allowed are 1 to 63 of A-Z a-z 0-9 _ -");
    }
    DurationText.check("timeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
    DurationText.check("connectTimeout", connectTimeout, MIN_CONNECT_TIMEOUT, MAX_CONNECT_TIMEOUT);
  }

  /** Returns these options with another prefix of maps and topics. */
  public HazelcastOptions withPrefix(String prefix) {
    return new HazelcastOptions(prefix, timeout, connectTimeout);
  }

  /** Returns these options with another timeout for answers. */
  public HazelcastOptions withTimeout(Duration timeout) {
    return new HazelcastOptions(prefix, timeout, connectTimeout);
  }

  /** Returns these options with another timeout for the first connection. */
  public HazelcastOptions withConnectTimeout(Duration connectTimeout) {
    return new HazelcastOptions(prefix, timeout, connectTimeout);
  }

  String locks() {
    return MapNames.locks(prefix);
  }

  String journal() {
    return MapNames.journal(prefix);
  }

  String registers() {
    return MapNames.registers(prefix);
  }

  String members() {
    return MapNames.members(prefix);
  }
}
