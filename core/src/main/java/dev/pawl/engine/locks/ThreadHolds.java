package dev.pawl.engine.locks;

import dev.pawl.engine.time.Timed;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of a node hold by {@code lock()}, and how often each.
 *
 * <p>A hold whose lease was lost stays until its thread has unlocked it, or takes the lock again
 * after it was told, so that an {@code unlock()} says that it was lost. A thread that ends, or does
 * neither for an hour, leaves nothing behind.
 */
final class ThreadHolds extends Timed {

  /** How often holds that have ended are looked for, while there are any. */
  private static final long SWEEP_NANOS = 10_000_000_000L;

  private static final long KEPT_NANOS = 3_600_000_000_000L;

  private final Engine engine;
  private final ConcurrentMap<Key, Hold> holds = new ConcurrentHashMap<>();
  private final AtomicBoolean sweeping = new AtomicBoolean();

  ThreadHolds(Engine engine) {
    this.engine = engine;
  }

  /** A name in a thread's hands; identity is what counts for threads. */
  private record Key(Thread thread, String name, boolean shared) {}

  /** One hold; only its own thread changes it. */
  static final class Hold {
    final HeldLease lease;
    int count = 1;

    /** Whether the thread has been told that it was lost, and when. */
    private volatile boolean told;

    private long toldNanos;

    Hold(HeldLease lease) {
      this.lease = lease;
    }

    /** Notes that the thread is told of the loss now; false if it was before. */
    boolean tell(long now) {
      boolean first = !told;
      if (first) {
        toldNanos = now;
        told = true;
      }
      return first;
    }
  }

  @Nullable Hold mine(String name, boolean shared) {
    return holds.get(key(name, shared));
  }

  void put(String name, boolean shared, Hold hold) {
    holds.put(key(name, shared), hold);
  }

  void remove(String name, boolean shared) {
    holds.remove(key(name, shared));
  }

  /** Forgets the holds of a thread that ended with a lease in its hands. */
  void forget(HeldLease lease) {
    holds.values().removeIf(hold -> hold.lease == lease);
  }

  /** Has the holds that have ended looked for, because there is one. */
  void onLost() {
    if (sweeping.compareAndSet(false, true)) {
      engine.timers().set(this, engine.now() + SWEEP_NANOS);
    }
  }

  @Override
  public void fire(long now) {
    sweeping.set(false);
    holds.entrySet().removeIf(entry -> hasEnded(entry.getKey().thread(), entry.getValue(), now));
    if (holds.values().stream().anyMatch(hold -> hold.lease.isLost())) {
      onLost();
    }
  }

  private static boolean hasEnded(Thread thread, Hold hold, long now) {
    return hold.lease.isLost()
        && (!thread.isAlive() || (hold.told && now - hold.toldNanos >= KEPT_NANOS));
  }

  /** Returns how many there are, those that have ended included. */
  int size() {
    return holds.size();
  }

  private static Key key(String name, boolean shared) {
    return new Key(Thread.currentThread(), name, shared);
  }
}
