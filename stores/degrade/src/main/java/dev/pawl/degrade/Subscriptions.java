package dev.pawl.degrade;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.LockStore.Subscription;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Who listens to the pair, and what of it listens to the two stores. */
final class Subscriptions {

  /** What a node hears of a store, by whoever was first to find that it hears nothing of it. */
  private record Way(String node, boolean ofPrimary, LockStore store) {}

  private final PairState state;
  private final StoreSignals signals;
  private final Map<Way, Subscription> made = new ConcurrentHashMap<>();

  /** Stands for a subscription that is being made, which may be ended meanwhile. */
  private static final class Pending implements Subscription {
    @Override
    public void close() {}
  }

  Subscriptions(PairState state, StoreSignals signals) {
    this.state = state;
    this.signals = signals;
  }

  Subscription subscribe(String node, Consumer<Signal> listener) {
    state.listeners.put(node, listener);
    LockStore primary = state.primary.store();
    LockStore backup = state.backup.store();
    if (primary != null) {
      listen(new Way(node, true, primary));
    }
    if (backup != null) {
      listen(new Way(node, false, backup));
    }
    return () -> {
      state.listeners.remove(node, listener);
      end(node);
    };
  }

  private void end(String node) {
    made.keySet().stream().filter(way -> way.node().equals(node)).forEach(this::end);
  }

  private void end(Way way) {
    Subscription subscription = made.remove(way);
    if (subscription != null) {
      subscription.close();
    }
  }

  /**
   * The primary was down, and is open now: for all who listen to the pair, or for none. Whoever
   * hears it already is left as it is.
   */
  void onPrimaryOpened(LockStore primary) {
    List<Way> begun = new ArrayList<>();
    try {
      for (String node : state.listeners.keySet()) {
        Way way = new Way(node, true, primary);
        if (listen(way)) {
          begun.add(way);
        }
      }
    } catch (RuntimeException | Error e) {
      begun.forEach(this::end);
      throw e;
    }
  }

  /** Has a node hear a store; false if it does, or somebody else sees to it. */
  private boolean listen(Way way) {
    Pending pending = new Pending();
    if (made.putIfAbsent(way, pending) != null) {
      return false;
    }
    Subscription subscription;
    try {
      subscription =
          way.store()
              .subscribe(
                  way.node(), signal -> signals.onSignal(way.ofPrimary(), way.node(), signal));
    } catch (RuntimeException | Error e) {
      made.remove(way, pending);
      throw e;
    }
    if (!made.replace(way, pending, subscription)) {
      subscription.close(); // It has left meanwhile.
    } else if (!state.listeners.containsKey(way.node())) {
      end(way.node());
    }
    return true;
  }

  void close() {
    made.keySet().forEach(this::end);
  }
}
