package dev.pawl.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** What the threads of a node hold by {@code lock()}, and how often each. */
final class ThreadHolds {

  private final ConcurrentMap<Key, Hold> holds = new ConcurrentHashMap<>();

  /** A name in a thread's hands; identity is what counts for threads. */
  private record Key(Thread thread, String name, boolean shared) {}

  /** One hold; only its own thread touches it. */
  static final class Hold {
    final HeldLease lease;
    int count = 1;

    Hold(HeldLease lease) {
      this.lease = lease;
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

  private static Key key(String name, boolean shared) {
    return new Key(Thread.currentThread(), name, shared);
  }
}
