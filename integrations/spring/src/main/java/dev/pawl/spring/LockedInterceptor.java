package dev.pawl.spring;

import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Takes the lock before a call, and releases it when what the call returned has completed. */
final class LockedInterceptor implements MethodInterceptor {

  private static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          LockedInterceptor.class.getClassLoader());

  private static final long IDLE_SECONDS = 10;

  private final LockedOperations operations;
  private final BeanFactory beans;
  private final Executor releases = releases();

  LockedInterceptor(LockedOperations operations, BeanFactory beans) {
    this.operations = operations;
    this.beans = beans;
  }

  /** As many threads as there are releases: what is to be called after them runs there. */
  private static Executor releases() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    AtomicInteger count = new AtomicInteger();
    Executor threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread =
                  new Thread(null, task, "pawl-release-" + count.incrementAndGet(), 0, false);
              thread.setContextClassLoader(loader);
              thread.setDaemon(true);
              return thread;
            });
    return task -> {
      try {
        threads.execute(task);
      } catch (Throwable e) { // OutOfMemoryError, where no thread can be made.
        task.run();
      }
    };
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Class<?> type =
        target == null
            ? invocation.getMethod().getDeclaringClass()
            : AopUtils.getTargetClass(target);
    Optional<LockedOperation> found = operations.find(invocation.getMethod(), type);
    if (found.isEmpty()) {
      return invocation.proceed();
    }
    LockedOperation operation = found.get();
    String name = operation.name().of(target, invocation.getArguments());
    Pawl pawl = beans.getBean(Pawl.class);
    if (operation.returns() == LockedOperation.Returns.REACTIVE) {
      return ReactiveCalls.around(operation, name, pawl, invocation);
    }
    Optional<Hold> outer = HeldLocks.covering(name, operation.kind());
    if (outer.isPresent()) {
      return within(outer.get(), operation, invocation);
    }
    boolean inTransaction = TRANSACTIONS && OpenTransaction.isActive();
    if (inTransaction && operation.inTransaction() == Locked.InTransaction.REFUSE) {
      throw new IllegalStateException(
          "lock \""
              + name
              + "\" is not taken inside of an open transaction, whose reads may be older than the"
              + " lock; call the method outside of it, or choose inTransaction = HOLD");
    }
    Lease lease;
    try {
      lease = acquire(operation, name, pawl);
    } catch (LockTimeoutException e) {
      return operation.busy(invocation, e);
    } catch (InterruptedException e) {
      throw operation.interrupted(name, e);
    }
    return call(operation, name, lease, inTransaction, invocation);
  }

  /** A call inside of another one: what it returns may complete after that has ended. */
  private @Nullable Object within(
      Hold outer, LockedOperation operation, MethodInvocation invocation) throws Throwable {
    Object result = operation.proceed(invocation, outer.lease());
    return operation.isStage() && result instanceof CompletionStage<?> stage
        ? outer.share().until(stage, releases)
        : result;
  }

  private static Lease acquire(LockedOperation operation, String name, Pawl pawl)
      throws InterruptedException {
    if (operation.returns() == LockedOperation.Returns.VALUE) {
      return operation.acquire(pawl, name);
    }
    // It is closed by whoever completes the stage, so it belongs to no thread.
    return await(operation.acquireAsync(pawl, name), name);
  }

  static Lease await(CompletableFuture<Lease> asked, String name) throws InterruptedException {
    try {
      return asked.get();
    } catch (InterruptedException e) {
      Hold.giveUp(asked, Runnable::run);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new CancellationException("lock \"" + name + "\": " + e.getCause());
    }
  }

  private @Nullable Object call(
      LockedOperation operation,
      String name,
      Lease lease,
      boolean inTransaction,
      MethodInvocation invocation)
      throws Throwable {
    Hold hold = new Hold(lease);
    HeldLocks.HeldLock held =
        new HeldLocks.HeldLock(name, operation.kind(), hold, operation.beforeCommit());
    Runnable takeOff = HeldLocks.add(held);
    boolean untilCompleted = false;
    Object result;
    try {
      if (inTransaction) {
        // From here on it is the transaction's to take off, whatever the call does.
        OpenTransaction.keep(held, takeOff, hold.share()::done, fences());
        untilCompleted = true;
      }
      result = operation.proceed(invocation, lease);
    } catch (Throwable e) {
      if (!untilCompleted) {
        takeOff.run();
      }
      hold.done(e);
      throw e;
    }
    if (!untilCompleted) {
      takeOff.run();
    }
    if (operation.isStage() && result instanceof CompletionStage<?> stage) {
      return hold.until(stage, releases);
    }
    hold.done();
    return result;
  }

  private Fences fences() {
    return beans.getBean(Fences.class);
  }
}
