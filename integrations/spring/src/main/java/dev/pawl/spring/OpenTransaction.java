package dev.pawl.spring;

import dev.pawl.LeaseLostException;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction that was open when a lock was taken: the lock is held until it has completed. */
final class OpenTransaction implements TransactionSynchronization {

  private final HeldLocks.Held held;
  private final Runnable takeOff;
  private final Runnable release;

  private OpenTransaction(HeldLocks.Held held, Runnable takeOff, Runnable release) {
    this.held = held;
    this.takeOff = takeOff;
    this.release = release;
  }

  static boolean isActive() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  static void keep(HeldLocks.Held held, Runnable takeOff, Runnable release, Fences fences) {
    TransactionSynchronizationManager.registerSynchronization(
        new OpenTransaction(held, takeOff, release));
    fences.admit(held);
  }

  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    held.check();
  }

  @Override
  public void afterCompletion(int status) {
    takeOff.run();
    held.admitted().set(false);
    try {
      release.run();
    } catch (LeaseLostException e) {
      if (status == STATUS_COMMITTED) {
        throw e; // Spring logs it; of one that was rolled back the caller knows the reason.
      }
    }
  }
}
