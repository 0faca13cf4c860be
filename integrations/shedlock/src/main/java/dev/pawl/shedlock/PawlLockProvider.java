package dev.pawl.shedlock;

import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

/**
 * A lock provider for ShedLock, whose locks are in Pawl's store.
 *
 * <pre>{@code
 * @Bean
 * LockProvider lockProvider(Pawl pawl) {
 *   return new PawlLockProvider(pawl);
 * }
 * }</pre>
 *
 * <p>ShedLock's contract holds: a lock ends after {@code lockAtMostFor} at the latest, though its
 * holder still works, and is kept for {@code lockAtLeastFor} at least. Times are counted by the
 * store's clock, so the clocks of the nodes do not matter, and a task that is still at work when
 * its lock ended can be told by a warning. The locks are ordinary ones, called {@code
 * shedlock:NAME}: {@code pawl ls} shows them, and {@code pawl release} ends one.
 *
 * <p>Neither this provider nor ShedLock closes the {@link Pawl}.
 */
public final class PawlLockProvider implements ExtensibleLockProvider {

  private static final String DEFAULT_PREFIX = "shedlock:";

  private final Pawl pawl;
  private final String prefix;

  /** A provider of locks that are called {@code shedlock:NAME}. */
  public PawlLockProvider(Pawl pawl) {
    this(pawl, DEFAULT_PREFIX);
  }

  /**
   * A provider of locks whose names begin with a text of the caller's choice; with an empty one a
   * ShedLock task and a {@code pawl.lock(name)} of the same name exclude each other.
   */
  public PawlLockProvider(Pawl pawl, String prefix) {
    this.pawl = Objects.requireNonNull(pawl, "pawl");
    this.prefix = Objects.requireNonNull(prefix, "prefix");
  }

  /**
   * Takes the lock if it is free.
   *
   * @return empty if somebody has it
   * @throws LockException if the store cannot be reached or did not answer: whether the lock is
   *     free is not known, and the task does not run
   * @throws IllegalArgumentException if {@code lockAtMostFor} is more than a day
   */
  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    try {
      return pawl.lock(prefix + configuration.getName(), options(configuration))
          .tryAcquire()
          .map(lease -> new LeaseLock(lease, configuration));
    } catch (StoreUnavailableException | OutcomeUnknownException e) {
      throw new LockException(
          "cannot tell whether " + configuration.getName() + " is locked: " + e.getMessage(), e);
    }
  }

  /** ShedLock's locks are never renewed: {@code lockAtMostFor} is when another may go on. */
  private static LockOptions options(LockConfiguration configuration) {
    return LockOptions.DEFAULT
        .withRenewal(false)
        .withLease(lease(configuration.getName(), configuration.getLockAtMostFor()));
  }

  /** Longer is safe where Pawl has a shortest lease; shorter, where it has a longest, is not. */
  static Duration lease(String name, Duration atMost) {
    if (atMost.compareTo(LockOptions.MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "lockAtMostFor of "
              + name
              + " is "
              + DurationText.format(atMost)
              + ": at most "
              + DurationText.format(LockOptions.MAX_LEASE)
              + " is possible; a task that takes longer can extend its lock (LockExtender)");
    }
    return atMost.compareTo(LockOptions.MIN_LEASE) < 0 ? LockOptions.MIN_LEASE : atMost;
  }
}
