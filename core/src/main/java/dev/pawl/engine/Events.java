package dev.pawl.engine;

import dev.pawl.JournalEntry;
import dev.pawl.LockEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the user's listeners and callbacks on their own executor; their exceptions stay theirs.
 * Events are told one after the other, in the order in which they happened to a lock; callbacks do
 * not wait for each other.
 */
final class Events {

  private static final Logger LOG = LoggerFactory.getLogger(Events.class);

  private final Engine engine;
  private final List<Consumer<? super LockEvent>> listeners = new CopyOnWriteArrayList<>();
  private final Queue<LockEvent> untold = new ConcurrentLinkedQueue<>();
  private final AtomicInteger telling = new AtomicInteger();

  Events(Engine engine) {
    this.engine = engine;
  }

  Runnable listen(Consumer<? super LockEvent> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  void acquired(Waiter waiter, HeldLease lease, boolean passed) {
    emit(
        () ->
            new LockEvent.Acquired(
                lease.name(),
                lease.token(),
                Duration.ofNanos(lease.sinceNanos - waiter.startedNanos),
                passed));
  }

  void refused(Waiter waiter) {
    emit(() -> new LockEvent.Refused(waiter.request.name(), since(waiter.startedNanos)));
  }

  void released(HeldLease lease) {
    emit(() -> new LockEvent.Released(lease.name(), lease.token(), since(lease.sinceNanos)));
  }

  void storeFailed(String name, String operation, Throwable cause) {
    emit(() -> new LockEvent.StoreFailed(name, operation, cause));
  }

  /** Tells of a loss whoever wants to know: the log, the owner, the listeners, the journal. */
  void lost(HeldLease lease, String reason, List<Runnable> callbacks) {
    LOG.warn("lost {}: {}", lease, reason);
    callbacks.forEach(this::run);
    emit(() -> new LockEvent.Lost(lease.name(), lease.token(), reason));
    Map<String, String> details = Map.of("reason", reason, "claim", lease.claim().id.toString());
    engine.whenDone(
        engine.call(
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
      untold.add(event.get());
      if (telling.getAndIncrement() == 0 && !run(this::tellAll)) {
        untold.clear();
        telling.set(0);
      }
    }
  }

  private void tellAll() {
    do {
      LockEvent event = untold.remove();
      listeners.forEach(listener -> guarded(() -> listener.accept(event)));
    } while (telling.decrementAndGet() > 0);
  }

  /** Runs a callback of the user; one that cannot be run is given up, with a word. */
  boolean run(Runnable action) {
    try {
      engine.platform().callbacks().execute(() -> guarded(action));
      return true;
    } catch (RejectedExecutionException e) {
      LOG.warn("a listener or callback was not run: the callback executor is shut down");
      return false;
    }
  }

  private static void guarded(Runnable action) {
    try {
      action.run();
    } catch (Throwable e) { // An error, too: those who come after it are to be told.
      LOG.warn("a listener or callback threw", e);
    }
  }
}
