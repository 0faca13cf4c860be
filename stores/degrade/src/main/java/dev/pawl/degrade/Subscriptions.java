package dev.pawl.degrade;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.LockStore.Subscription;
import dev.pawl.spi.Signal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Who listens to the pair, and what of it listens to the two stores. */
final class Subscriptions {

  private final PairState state;
  private final StoreSignals signals;
  private final Map<String, List<Subscription>> made = new ConcurrentHashMap<>();

  Subscriptions(PairState state, StoreSignals signals) {
    this.state = state;
    this.signals = signals;
  }

  Subscription subscribe(String node, Consumer<Signal> listener) {
    state.listeners.put(node, listener);
    LockStore primary = state.primary.store();
    LockStore backup = state.backup.store();
    if (primary != null) {
      listen(primary, true, node);
    }
    if (backup != null) {
      listen(backup, false, node);
    }
    return () -> {
      state.listeners.remove(node, listener);
      end(node);
    };
  }

  private void end(String node) {
    List<Subscription> ofNode = made.remove(node);
    if (ofNode != null) {
      ofNode.forEach(Subscription::close);
    }
  }

  /** The primary was down, and is open now: for all who listen to the pair, or for none. */
  void onPrimaryOpened(LockStore primary) {
    Map<String, Subscription> all = new HashMap<>();
    try {
      state.listeners.keySet().forEach(node -> all.put(node, listening(primary, true, node)));
    } catch (RuntimeException | Error e) {
      all.values().forEach(Subscription::close);
      throw e;
    }
    all.forEach(this::keep);
  }

  private void listen(LockStore store, boolean isPrimary, String node) {
    keep(node, listening(store, isPrimary, node));
  }

  private Subscription listening(LockStore store, boolean isPrimary, String node) {
    return store.subscribe(node, signal -> signals.onSignal(isPrimary, node, signal));
  }

  private void keep(String node, Subscription subscription) {
    made.computeIfAbsent(node, key -> new CopyOnWriteArrayList<>()).add(subscription);
    if (!state.listeners.containsKey(node)) {
      end(node); // It has left meanwhile.
    }
  }

  void close() {
    made.values().forEach(all -> all.forEach(Subscription::close));
  }
}
