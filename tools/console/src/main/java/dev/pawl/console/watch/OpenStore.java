package dev.pawl.console.watch;

import dev.pawl.Inspector;
import dev.pawl.Pawl;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.LockStore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The way to the store. One that did not exist when it was opened is opened again now and then: the
 * first lock may have created it.
 */
public final class OpenStore implements AutoCloseable {

  private static final long OPEN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<Pawl> open;
  private final boolean owned;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Pawl pawl;
  private volatile long openedNanos = System.nanoTime();

  private OpenStore(Supplier<Pawl> open, boolean owned) {
    this.open = open;
    this.owned = owned;
    this.pawl = open.get();
  }

  /** Returns the way through a node that belongs to the caller. */
  public static OpenStore of(Pawl pawl) {
    return new OpenStore(() -> pawl, false);
  }

  /** Returns the way through nodes that this opens and closes. */
  public static OpenStore by(Supplier<Pawl> open) {
    return new OpenStore(open, true);
  }

  /** Tells whether there is no such store yet. */
  public boolean isAbsent() {
    return pawl.store() instanceof AbsentStore;
  }

  /** Returns the store's URL without secrets. */
  public String describe() {
    return pawl.store().describe();
  }

  Inspector inspector() {
    return pawl().inspector();
  }

  LockStore store() {
    return (LockStore) pawl().store();
  }

  private Pawl pawl() {
    if (owned && isAbsent() && System.nanoTime() - openedNanos > OPEN_AGAIN_NANOS) {
      lock.lock();
      try {
        if (isAbsent()) {
          Pawl before = pawl;
          pawl = open.get();
          openedNanos = System.nanoTime();
          before.close();
        }
      } finally {
        lock.unlock();
      }
    }
    return pawl;
  }

  @Override
  public void close() {
    if (owned) {
      pawl.close();
    }
  }
}
