package dev.pawl.spring;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * What {@link Locked} means on one method, worked out and checked once.
 *
 * @param waitFor asked with each call, since the defaults are a bean, and beans are still being
 *     made when this is read
 */
record LockedOperation(
    Method method,
    LockName name,
    Supplier<Optional<Duration>> waitFor,
    Optional<Duration> lease,
    HeldLocks.Kind kind,
    int permits,
    int capacity,
    boolean skips,
    @Nullable Method fallback,
    boolean fallbackTakesError,
    Locked.InTransaction inTransaction,
    BeforeCommit beforeCommit,
    Returns returns) {

  /** More than 73 years has no end. */
  private static final Duration FOREVER = Duration.ofDays(100 * 365);

  /** What the method returns, and so until when the lock is held. */
  enum Returns {
    VALUE,
    STAGE,
    REACTIVE
  }

  boolean isStage() {
    return returns == Returns.STAGE;
  }

  private LockOptions options(Pawl pawl, String lockName) {
    LockOptions options = pawl.lock(lockName).options();
    return lease.map(options::withLease).orElse(options);
  }

  /** Waits for the lock in this thread. */
  Lease acquire(Pawl pawl, String lockName) throws InterruptedException {
    LockOptions options = options(pawl, lockName);
    Optional<Duration> most = waitFor.get();
    return switch (kind) {
      case PERMITS ->
          most.isPresent()
              ? pawl.semaphore(lockName, capacity, options).acquire(permits, most.get())
              : pawl.semaphore(lockName, capacity, options).acquire(permits);
      case SHARED ->
          most.isPresent()
              ? pawl.readWriteLock(lockName, options).readLock().acquire(most.get())
              : pawl.readWriteLock(lockName, options).readLock().acquire();
      case EXCLUSIVE ->
          most.isPresent()
              ? pawl.lock(lockName, options).acquire(most.get())
              : pawl.lock(lockName, options).acquire();
    };
  }

  /** Has a lease that belongs to no thread, without blocking one. */
  CompletableFuture<Lease> acquireAsync(Pawl pawl, String lockName) {
    LockOptions options = options(pawl, lockName);
    Duration most = waitFor.get().orElse(FOREVER);
    return switch (kind) {
      case PERMITS -> pawl.semaphore(lockName, capacity, options).acquireAsync(permits, most);
      case SHARED -> pawl.readWriteLock(lockName, options).readLock().acquireAsync(most);
      case EXCLUSIVE -> pawl.lock(lockName, options).acquireAsync(most);
    };
  }

  /** Calls the method, with the lease where it has a parameter for it. */
  @Nullable Object proceed(MethodInvocation invocation, Lease held) throws Throwable {
    Class<?>[] types = method.getParameterTypes();
    @Nullable Object[] arguments = invocation.getArguments().clone();
    boolean changed = false;
    for (int i = 0; i < types.length; i++) {
      if (types[i] == Lease.class) {
        arguments[i] = held;
        changed = true;
      }
    }
    if (changed) {
      ((ProxyMethodInvocation) invocation).setArguments(arguments);
    }
    return invocation.proceed();
  }

  /**
   * Returns what a call throws whose thread was interrupted while it waited. A proxy would wrap
   * what the method does not declare, and the thread would not know of it any more.
   */
  Exception interrupted(String lockName, InterruptedException e) {
    for (Class<?> declared : method.getExceptionTypes()) {
      if (declared.isInstance(e)) {
        return e;
      }
    }
    Thread.currentThread().interrupt();
    CancellationException cancelled =
        new CancellationException("lock \"" + lockName + "\": interrupted while it was waited for");
    cancelled.initCause(e);
    return cancelled;
  }

  /** Tells whether a call that finds the lock busy has a result all the same. */
  boolean bearsBusy() {
    return skips || fallback != null;
  }

  /** Returns what a call returns that did not get the lock in time. */
  @Nullable Object busy(MethodInvocation invocation, LockTimeoutException why) throws Throwable {
    if (fallback != null) {
      return callFallback(fallback, invocation, why);
    }
    if (!skips) {
      throw why;
    }
    Class<?> type = method.getReturnType();
    if (type == Optional.class) {
      return Optional.empty();
    }
    return CompletionStage.class.isAssignableFrom(type)
        ? CompletableFuture.completedFuture(null)
        : null;
  }

  private @Nullable Object callFallback(
      Method instead, MethodInvocation invocation, LockTimeoutException why) throws Throwable {
    List<@Nullable Object> arguments = new ArrayList<>();
    Class<?>[] types = method.getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      if (types[i] != Lease.class) {
        arguments.add(invocation.getArguments()[i]);
      }
    }
    if (fallbackTakesError) {
      arguments.add(why);
    }
    try {
      return instead.invoke(invocation.getThis(), arguments.toArray());
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }
}
