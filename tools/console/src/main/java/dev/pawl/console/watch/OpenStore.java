package dev.pawl.console.watch;

import dev.pawl.Inspector;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.LockStore;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to the store. One that could not be reached, or did not exist, is opened again now and
 * then: it may be back, and the first lock may have created it.
 */
public final class OpenStore implements AutoCloseable {

  private static final long OPEN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<Pawl> open;
  private final String name;
  private final boolean owned;
  private final ReentrantLock lock = new ReentrantLock();

  // Changed with the lock held.
  private volatile @Nullable Pawl pawl;
  private volatile @Nullable StoreUnavailableException failure;
  private volatile long triedNanos;
  private boolean closed;

  private OpenStore(Supplier<Pawl> open, String name, boolean owned) {
    this.open = open;
    this.name = name;
    this.owned = owned;
    tryToOpen();
  }

  /** Returns the way through a node that belongs to the caller. */
  public static OpenStore of(Pawl pawl) {
    return new OpenStore(() -> pawl, pawl.store().describe(), false);
  }

  /**
   * Returns the way through nodes that this opens and closes. A store that cannot be reached is
   * tried again; what another failure says is for people to mend, and is thrown.
   *
   * @param name what the store is called until it has been reached: its URL without secrets
   */
  public static OpenStore by(Supplier<Pawl> open, String name) {
    return new OpenStore(open, name, true);
  }

  /** Returns why the store has not been reached yet; null if it has been. */
  public @Nullable Trouble trouble() {
    StoreUnavailableException failed = failure;
    return failed == null ? null : Trouble.of(failed);
  }

  /** Tells whether there is no such store yet. */
  public boolean isAbsent() {
    Pawl known = pawl;
    return known != null && known.store() instanceof AbsentStore;
  }

  /** Returns the store's URL without secrets. */
  public String describe() {
    Pawl known = pawl;
    return known == null ? name : known.store().describe();
  }

  /** Returns which store of a pair has the locks, as was last heard; empty if it is no pair. */
  public Optional<String> mode() {
    Pawl known = pawl;
    return known == null ? Optional.empty() : known.store().mode();
  }

  Inspector inspector() {
    return pawl().inspector();
  }

  /** Returns the store, as it is; nothing is created. */
  public LockStore store() {
    return (LockStore) pawl().store();
  }

  private Pawl pawl() {
    boolean due = System.nanoTime() - triedNanos > OPEN_AGAIN_NANOS;
    // Whoever comes while somebody tries is told what is known.
    if (owned && due && (pawl == null || isAbsent()) && lock.tryLock()) {
      try {
        if (!closed) {
          tryToOpen();
        }
      } finally {
        lock.unlock();
      }
    }
    Pawl known = pawl;
    if (known != null) {
      return known;
    }
    StoreUnavailableException failed = failure;
    throw failed == null ? new StoreUnavailableException(name + " is closed", null) : failed;
  }

  private void tryToOpen() {
    Pawl before = pawl;
    try {
      pawl = open.get();
      failure = null;
      if (before != null) {
        before.close();
      }
    } catch (StoreUnavailableException e) {
      if (before == null) {
        failure = e;
      }
    } finally {
      triedNanos = System.nanoTime();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      Pawl known = pawl;
      if (owned && known != null) {
        known.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
