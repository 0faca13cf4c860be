package dev.pawl.engine.locks;

import dev.pawl.JournalEntry;
import dev.pawl.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the user what happened, on threads for that purpose; what his code throws stays his. Each
 * listener is told in the order in which things happened to a lock; callbacks do not wait for each
 * other, and those that tell of a loss not for any other code of his.
 */
public final class Events {

  private static final Logger LOG = LoggerFactory.getLogger(Events.class);

  private final Engine engine;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Monitors monitors = new Monitors(this);

  Events(Engine engine) {
    this.engine = engine;
  }

  public Runnable listen(Consumer<? super LockEvent> users) {
    Listener listener = new Listener(users, this::run);
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  public Monitors monitors() {
    return monitors;
  }

  void acquired(Caller caller, HeldLease lease, boolean passed) {
    emit(
        () ->
            new LockEvent.Acquired(
                lease.name(),
                lease.token(),
                Duration.ofNanos(lease.sinceNanos - caller.startedNanos),
                passed));
  }

  void refused(Caller caller) {
    emit(() -> new LockEvent.Refused(caller.request.name(), since(caller.startedNanos)));
  }

  void released(HeldLease lease, long heldNanos, boolean inCallersThread) {
    monitors.released(lease, heldNanos, inCallersThread);
    emit(() -> new LockEvent.Released(lease.name(), lease.token(), Duration.ofNanos(heldNanos)));
  }

  void storeFailed(String name, String operation, Throwable cause) {
    emit(() -> new LockEvent.StoreFailed(name, operation, cause));
  }

  void modeChanged(String name, String mode, String reason) {
    emit(() -> new LockEvent.ModeChanged(name, mode, reason));
  }

  /** Tells of a loss whoever wants to know: the log, the owner, the listeners, the journal. */
  void lost(
      HeldLease lease, String reason, boolean planned, List<Runnable> callbacks, Runnable told) {
    if (planned) {
      LOG.debug("lost {}: {}", lease, reason);
    } else {
      LOG.warn("lost {}: {}", lease, reason, lease.trace);
    }
    runLosses(callbacks, told);
    emit(() -> new LockEvent.Lost(lease.name(), lease.token(), reason));
    monitors.lost(lease, engine.now() - lease.sinceNanos);
    if (!planned) {
      journalLoss(lease, reason);
    }
  }

  private void journalLoss(HeldLease lease, String reason) {
    Map<String, String> details = Map.of("reason", reason, "claim", lease.claim().id.toString());
    engine
        .link()
        .whenDone(
            engine
                .link()
                .call(
                    false,
                    store ->
                        store
                            .journal()
                            .append(
                                JournalEntry.Kind.LEASE_LOST,
                                lease.name(),
                                lease.token(),
                                engine.label(),
                                details)),
            (done, error) -> {
              if (error != null) {
                LOG.debug("the loss of {} could not be journalled", lease, error);
              }
            });
  }

  void heldForLong(HeldLease lease) {
    LOG.warn(
        "{} has been held for longer than warnIfHeldFor: {}", lease, lease.taker(), lease.trace);
  }

  void ownerDied(HeldLease lease) {
    LOG.warn(
        "{} is released: its thread {} ended without unlock()",
        lease,
        lease.owner == null ? "" : lease.owner.getName());
  }

  private Duration since(long nanos) {
    return Duration.ofNanos(engine.now() - nanos);
  }

  private void emit(Supplier<LockEvent> event) {
    if (!listeners.isEmpty()) {
      LockEvent happened = event.get();
      listeners.forEach(listener -> guarded(() -> listener.tell(happened)));
    }
  }

  /** Runs a callback of the user; one that cannot be run is given up, with a word. */
  public boolean run(Runnable action) {
    return run(engine.platform().callbacks(), action);
  }

  /** Runs what the user wants done at a loss, before and beside every other callback of his. */
  void runLoss(Runnable action) {
    run(engine.platform().losses(), action);
  }

  /** Runs all of them, and then what is to be done when they have returned. */
  private void runLosses(List<Runnable> actions, Runnable told) {
    AtomicInteger left = new AtomicInteger(actions.size() + 1);
    Runnable one =
        () -> {
          if (left.decrementAndGet() == 0) {
            told.run();
          }
        };
    for (Runnable action : actions) {
      runLoss(
          () -> {
            try {
              action.run();
            } finally {
              one.run();
            }
          });
    }
    one.run();
  }

  private static boolean run(Executor executor, Runnable action) {
    try {
      executor.execute(() -> guarded(action));
      return true;
    } catch (Throwable e) { // Whatever it is, it must not reach the one who has something to tell.
      LOG.warn("a listener or callback was not run: {}", e.toString());
      return false;
    }
  }

  static void guarded(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) { // An error, too: those who come after it are to be told.
      LOG.warn("a listener or callback threw", e);
    }
  }
}
