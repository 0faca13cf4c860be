package dev.pawl.spring;

import java.time.Duration;
import java.util.Optional;

/**
 * What {@link Locked} and {@link OncePerTick} do where they do not say. A bean of this type sets
 * it; in Spring Boot the properties {@code pawl.defaults.*} do.
 *
 * @param waitFor how long a call waits for a lock; empty for as long as it takes
 * @param atMostFor when a run of a job loses its lease; empty for never
 * @param atLeastFor how long a job is kept from the start of a run; empty for not at all
 * @param retryElsewhere how often a tick that failed is left to another node
 */
public record PawlDefaults(
    Optional<Duration> waitFor,
    Optional<Duration> atMostFor,
    Optional<Duration> atLeastFor,
    int retryElsewhere) {

  /** Waits as long as it takes, runs as long as they take, no retries. */
  public static final PawlDefaults NONE =
      new PawlDefaults(Optional.empty(), Optional.empty(), Optional.empty(), 0);
}
