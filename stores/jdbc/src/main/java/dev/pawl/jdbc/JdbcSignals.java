package dev.pawl.jdbc;

import dev.pawl.machine.LockState;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How waiters wake: the nodes of this store that listen, the claims of theirs that wait, and the
 * way in which news of other processes arrives ({@link Wakeups}).
 */
final class JdbcSignals implements AutoCloseable {

  private final ConcurrentMap<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();
  private final ConcurrentMap<ClaimId, Waiting> waiting = new ConcurrentHashMap<>();
  private volatile Wakeups wakeups = Wakeups.NONE;

  /**
   * A claim that waits.
   *
   * @param version the version of the name's row when it was last looked at
   * @param written whether the row says so already; until then nobody looks for it there
   */
  record Waiting(String name, ClaimId claim, long version, boolean written) {}

  /** A signal to a node elsewhere. */
  record Message(String node, Signal signal) {}

  /** How news of other processes arrives. */
  interface Wakeups extends AutoCloseable {
    /** Nothing arrives, since nobody can wait. */
    Wakeups NONE = new Wakeups() {};

    /** Hears that one more claim waits. */
    default void onWaiting() {}

    /** Writes a row and sends the messages with it. */
    default boolean update(
        Connection connection,
        RowTable rows,
        String name,
        long version,
        LockState state,
        List<Message> messages)
        throws SQLException {
      return rows.update(connection, name, version, state);
    }

    @Override
    default void close() {}
  }

  void use(Wakeups newWakeups) {
    this.wakeups = newWakeups;
  }

  LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
    listeners.put(node, listener);
    return () -> {
      if (listeners.remove(node, listener)) {
        waiting.keySet().removeIf(claim -> claim.node().equals(node));
      }
    };
  }

  Set<String> nodes() {
    return listeners.keySet();
  }

  /** Returns the signals for nodes that do not listen here. */
  List<Message> messages(List<Signal> signals) {
    List<Message> messages = new ArrayList<>();
    for (Signal signal : signals) {
      String node = node(signal);
      if (node != null && !listeners.containsKey(node)) {
        messages.add(new Message(node, signal));
      }
    }
    return messages;
  }

  boolean update(
      Connection connection,
      RowTable rows,
      String name,
      long version,
      LockState state,
      List<Message> messages)
      throws SQLException {
    return wakeups.update(connection, rows, name, version, state, messages);
  }

  /** Tells the nodes that listen here. */
  void deliver(List<Signal> signals) {
    for (Signal signal : signals) {
      String node = node(signal);
      if (node != null) {
        deliver(node, signal);
      }
    }
  }

  void deliver(String node, Signal signal) {
    Consumer<Signal> listener = listeners.get(node);
    if (listener == null) {
      return;
    }
    if (signal instanceof Signal.Granted granted) {
      waiting.remove(granted.grant().claim());
    } else if (signal instanceof Signal.Done done) {
      waiting.remove(done.claim());
    }
    listener.accept(signal);
  }

  private static @Nullable String node(Signal signal) {
    return signal instanceof Signal.Granted granted
        ? granted.grant().claim().node()
        : signal instanceof Signal.Done done
            ? done.claim().node()
            : signal instanceof Signal.Evicted evicted ? evicted.claim().node() : null;
  }

  /** Hears that a claim is about to wait, in that version of its name's row. */
  void onWaiting(String name, ClaimId claim, long version) {
    if (listeners.containsKey(claim.node())) {
      waiting.put(claim, new Waiting(name, claim, version, false));
      wakeups.onWaiting();
    }
  }

  /** Hears that the row says so; the claim may have been granted the name, and told, before. */
  void onWritten(ClaimId claim) {
    waiting.computeIfPresent(
        claim, (same, each) -> new Waiting(each.name(), claim, each.version(), true));
  }

  /** Hears that a claim waits no longer; tells whether it did until now. */
  boolean onSettled(ClaimId claim) {
    return waiting.remove(claim) != null;
  }

  boolean isAnybodyWaiting() {
    return !waiting.isEmpty();
  }

  /** Returns the claims that wait, by name. */
  Map<String, List<Waiting>> waiting() {
    Map<String, List<Waiting>> byName = new HashMap<>();
    for (Waiting each : waiting.values()) {
      if (each.written()) {
        byName.computeIfAbsent(each.name(), n -> new ArrayList<>()).add(each);
      }
    }
    return byName;
  }

  /** Remembers that a waiting claim has been looked at. */
  void onSeen(Waiting seen, long version) {
    waiting.replace(seen.claim(), seen, new Waiting(seen.name(), seen.claim(), version, true));
  }

  @Override
  public void close() {
    wakeups.close();
    listeners.clear();
    waiting.clear();
  }
}
