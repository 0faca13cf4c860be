package dev.pawl.spring.integration;

import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.Objects;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry of Spring Integration whose locks are in Pawl's store.
 *
 * <p>A lock is held for as long as its thread wants and its process lives: Pawl renews it, and no
 * scheduler is needed for that. One that is taken with a time to live is not renewed, and ends
 * after that time unless {@link #renewLock} extends it. Locks are reentrant, also by another handle
 * of the same key, and fair across the cluster; a re-entry never shortens the time to live, and has
 * it last as long as a first entry would from then on.
 *
 * <p>The lock of a key is called {@code spring:KEY}, by the key's {@code toString()}, which has to
 * be the same on every node. With more than 255 bytes, or with control characters, it is called by
 * the beginning of that and its SHA-256. The registry keeps nothing of a lock, so there is nothing
 * to expire. It does not close the {@link Pawl}.
 */
public final class PawlLockRegistry
    implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

  private static final String DEFAULT_PREFIX = "spring:";

  private final Pawl pawl;
  private final String prefix;
  private final LockOptions options;

  /** A registry of locks that are called {@code spring:KEY}, with the node's default options. */
  public PawlLockRegistry(Pawl pawl) {
    this(pawl, DEFAULT_PREFIX, pawl.lock(DEFAULT_PREFIX).options());
  }

  /**
   * A registry of locks whose names begin with a text of the caller's choice.
   *
   * @param options those of a lock that is taken without a time to live
   */
  public PawlLockRegistry(Pawl pawl, String prefix, LockOptions options) {
    this.pawl = Objects.requireNonNull(pawl, "pawl");
    this.prefix = Objects.requireNonNull(prefix, "prefix");
    this.options = Objects.requireNonNull(options, "options");
  }

  @Override
  public DistributedLock obtain(Object key) {
    return new RegistryLock(pawl, name(key), options);
  }

  /** Extends the current thread's hold of a lock by the length of its lease. */
  @Override
  public void renewLock(Object key) {
    renewLock(key, options.lease());
  }

  /**
   * Has the current thread's hold of a lock last for at least that time from now, and returns when
   * the store has agreed.
   *
   * @throws IllegalStateException if the current thread does not hold the lock, or has lost it
   */
  @Override
  public void renewLock(Object key, Duration ttl) {
    String name = name(key);
    try {
      pawl.lock(name, options).extend(ttl);
    } catch (IllegalMonitorStateException | LeaseLostException e) {
      throw new IllegalStateException("cannot renew " + name + ": " + e.getMessage(), e);
    }
  }

  /** Does nothing: the registry keeps no locks. */
  @Override
  public void expireUnusedOlderThan(long age) {}

  private String name(Object key) {
    return LockNames.of(prefix, Objects.requireNonNull(key, "key"));
  }
}
