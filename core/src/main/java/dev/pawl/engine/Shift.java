package dev.pawl.engine;

import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A body at work under a lease, which is interrupted when the lease is lost, and only then. */
final class Shift {

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread worker;
  private boolean interrupted;

  /** Does the work in this thread; an interrupt that was meant for it does not outlive it. */
  <T extends @Nullable Object> T work(HeldLease lease, Callable<T> body) throws Exception {
    lock.lock();
    try {
      worker = Thread.currentThread();
    } finally {
      lock.unlock();
    }
    lease.worksUnder(this);
    try {
      return body.call();
    } finally {
      end();
    }
  }

  private void end() {
    lock.lock();
    try {
      worker = null;
      if (interrupted) {
        Thread.interrupted();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the body if it is at work. */
  void interrupt() {
    lock.lock();
    try {
      if (worker != null) {
        interrupted = true;
        worker.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether the body was interrupted because its lease was lost. */
  boolean isInterrupted() {
    lock.lock();
    try {
      return interrupted;
    } finally {
      lock.unlock();
    }
  }
}
