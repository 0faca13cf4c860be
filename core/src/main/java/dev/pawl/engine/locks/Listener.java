package dev.pawl.engine.locks;

import dev.pawl.LockEvent;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener of the user and the events that it has yet to be told, one after the other in their
 * order. One that is stuck costs {@link #MOST_PENDING} events and a warning, and holds up no other.
 */
final class Listener {

  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

  static final int MOST_PENDING = 10_000;

  private final Consumer<? super LockEvent> users;

  /** Runs something on a thread for callbacks; false if there is none. */
  private final Predicate<Runnable> executor;

  private final Queue<LockEvent> pending = new ConcurrentLinkedQueue<>();
  private final AtomicInteger telling = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();

  Listener(Consumer<? super LockEvent> users, Predicate<Runnable> executor) {
    this.users = users;
    this.executor = executor;
  }

  void tell(LockEvent event) {
    if (telling.get() >= MOST_PENDING) {
      if (dropped.getAndIncrement() == 0) {
        LOG.warn(
            "a listener is stuck or too slow: {} events wait for it, and those that follow are"
                + " dropped",
            MOST_PENDING);
      }
      return;
    }
    pending.add(event);
    if (telling.getAndIncrement() == 0 && !executor.test(this::tellAll)) {
      pending.clear();
      telling.set(0);
    }
  }

  private void tellAll() {
    do {
      LockEvent event = pending.remove();
      Events.guarded(() -> users.accept(event));
    } while (telling.decrementAndGet() > 0);
    long missed = dropped.getAndSet(0);
    if (missed > 0) {
      LOG.warn("a listener was stuck or too slow, and missed {} events", missed);
    }
  }
}
