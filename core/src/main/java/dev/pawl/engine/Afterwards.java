package dev.pawl.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done after a queue's lock is given back: calls to the store and to waiters.
 *
 * <p>{@code mayBlock} tells whether the thread that does it is a caller's own, which waits anyway.
 */
final class Afterwards {

  interface Action {
    void run(boolean mayBlock);
  }

  private final boolean mayBlock;
  private final List<Action> actions = new ArrayList<>(2);

  Afterwards(boolean mayBlock) {
    this.mayBlock = mayBlock;
  }

  void add(Action action) {
    actions.add(action);
  }

  /** Does all of it, whatever one of them throws: the next may be somebody's grant. */
  void run() {
    @Nullable Throwable thrown = null;
    for (Action action : actions) {
      try {
        action.run(mayBlock);
      } catch (Throwable e) {
        if (thrown == null) {
          thrown = e;
        } else if (thrown != e) {
          thrown.addSuppressed(e);
        }
      }
    }
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
