package dev.pawl.engine.threads;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A body at work under a lease, which is interrupted when the lease is lost, and only then. */
public final class Shift {

  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread worker;
  private boolean interrupted;

  /** Begins in this thread. */
  public void begin() {
    lock.lock();
    try {
      worker = Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  /** Ends; an interrupt that was meant for the body does not outlive it. */
  public void end() {
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
  public void interrupt() {
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
  public boolean isInterrupted() {
    lock.lock();
    try {
      return interrupted;
    } finally {
      lock.unlock();
    }
  }
}
