package dev.pawl.engine;

import dev.pawl.LockEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the user's listeners and callbacks on their own executor; their exceptions stay theirs. */
final class Events {

  private static final Logger LOG = LoggerFactory.getLogger(Events.class);

  private final Executor callbacks;
  private final List<Consumer<? super LockEvent>> listeners = new CopyOnWriteArrayList<>();

  Events(Executor callbacks) {
    this.callbacks = callbacks;
  }

  Runnable listen(Consumer<? super LockEvent> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  void emit(Supplier<LockEvent> event) {
    if (!listeners.isEmpty()) {
      LockEvent made = event.get();
      listeners.forEach(listener -> run(() -> listener.accept(made)));
    }
  }

  void run(Runnable action) {
    try {
      callbacks.execute(
          () -> {
            try {
              action.run();
            } catch (RuntimeException e) {
              LOG.warn("a listener or callback threw", e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.warn("a listener or callback was not run: the callback executor is shut down");
    }
  }
}
