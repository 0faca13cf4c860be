package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.dialect.Notify.Notification;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/**
 * How waiters wake: the nodes of this store that listen, the claims of theirs that wait, and the
 * way in which signals of other processes arrive ({@link Wakeups}).
 */
public final class Signals implements AutoCloseable {

  private final ConcurrentMap<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();
  private final ConcurrentMap<ClaimId, Waiting> waiting = new ConcurrentHashMap<>();
  private volatile Wakeups wakeups = Wakeups.NONE;

  /**
   * A claim that waits.
   *
   * @param version the version of the name's record when it was last looked at
   * @param far whether it was believed alive there for as long as one far back in the queue
   * @param written whether the record says so already; until then nobody looks for it there
   */
  public record Waiting(String name, ClaimId claim, long version, boolean far, boolean written) {}

  /** A signal to a node elsewhere. */
  public record Message(String node, Signal signal) {}

  /** How signals of other processes arrive. */
  public interface Wakeups extends AutoCloseable {
    /** Nothing arrives, since nobody can wait. */
    Wakeups NONE = new Wakeups() {};

    /** Hears that one more claim waits. */
    default void onWaiting() {}

    /** Returns the notifications that are to go with the statement that causes the messages. */
    default List<Notification> notifications(List<Message> messages) {
      return List.of();
    }

    @Override
    default void close() {}
  }

  /** Lets signals of other processes arrive that way. */
  public void use(Wakeups newWakeups) {
    this.wakeups = newWakeups;
  }

  /** Lets a node listen. */
  public LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
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

  /**
   * Returns the notifications that whoever writes what causes these signals sends along: those for
   * nodes that do not listen here, where there is a way to notify them.
   */
  public List<Notification> notifications(List<Signal> signals) {
    List<Message> messages = new ArrayList<>();
    for (Signal signal : signals) {
      signal
          .recipient()
          .map(ClaimId::node)
          .filter(node -> !listeners.containsKey(node))
          .ifPresent(node -> messages.add(new Message(node, signal)));
    }
    return messages.isEmpty() ? List.of() : wakeups.notifications(messages);
  }

  /** Tells the nodes that listen here. */
  public void deliver(List<Signal> signals) {
    for (Signal signal : signals) {
      signal.recipient().ifPresent(claim -> deliver(claim.node(), signal));
    }
  }

  /** Tells a node that listens here. */
  public void deliver(String node, Signal signal) {
    Consumer<Signal> listener = listeners.get(node);
    if (listener == null) {
      return;
    }
    if (signal instanceof Signal.Granted granted) {
      waiting.remove(granted.grant().claim());
    } else if (signal instanceof Signal.Done done) {
      waiting.remove(done.claim());
    } else if (signal instanceof Signal.Summoned summoned) {
      onHeartbeat(summoned.claim(), false); // Else the next look would tell it again.
    }
    listener.accept(signal);
  }

  /** Hears that a claim is about to wait, in that version of its name's record. */
  public void onWaiting(String name, ClaimId claim, long version, boolean far) {
    if (listeners.containsKey(claim.node())) {
      waiting.put(claim, new Waiting(name, claim, version, far, false));
      wakeups.onWaiting();
    }
  }

  /** Hears that the record says so; the claim may have been granted the name, and told, before. */
  public void onWritten(ClaimId claim) {
    waiting.computeIfPresent(
        claim, (same, each) -> new Waiting(each.name(), claim, each.version(), each.far(), true));
  }

  /** Hears for how long a waiting claim is believed alive from now on. */
  public void onHeartbeat(ClaimId claim, boolean far) {
    waiting.computeIfPresent(
        claim,
        (same, each) -> new Waiting(each.name(), claim, each.version(), far, each.written()));
  }

  /** Hears that a claim waits no longer; tells whether it did until now. */
  public boolean onSettled(ClaimId claim) {
    return waiting.remove(claim) != null;
  }

  /** Tells whether a claim waits. */
  public boolean isAnybodyWaiting() {
    return !waiting.isEmpty();
  }

  /** Returns the claims that wait, by name. */
  public Map<String, List<Waiting>> waiting() {
    Map<String, List<Waiting>> byName = new HashMap<>();
    for (Waiting each : waiting.values()) {
      if (each.written()) {
        byName.computeIfAbsent(each.name(), n -> new ArrayList<>()).add(each);
      }
    }
    return byName;
  }

  /**
   * Remembers that a waiting claim has been looked at. One that is believed alive for less long
   * than before was summoned, most likely, and is told.
   */
  public void onSeen(Waiting seen, long version, boolean far) {
    Waiting now = new Waiting(seen.name(), seen.claim(), version, far, true);
    if (waiting.replace(seen.claim(), seen, now) && seen.far() && !far) {
      deliver(seen.claim().node(), new Signal.Summoned(seen.name(), seen.claim()));
    }
  }

  @Override
  public void close() {
    wakeups.close();
    listeners.clear();
    waiting.clear();
  }
}
