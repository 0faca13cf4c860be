package dev.pawl.engine.locks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done after a queue's lock is given back: calls to the store and to waiters.
 *
 * <p>{@code mayBlock} tells whether the thread that does it is a caller's own, which waits anyway.
 *
 * <p>A store may answer inside the call. What such an answer leads to is {@link #nested() added} to
 * what is being done, and not done inside it: with a thousand callers in line, each of whom is
 * asked for when the one before has been answered, it would be a thousand calls deep.
 */
final class Afterwards {

  interface Action {
    void run(boolean mayBlock);
  }

  private final boolean mayBlock;
  private final @Nullable Afterwards outer;
  private final List<Action> actions = new ArrayList<>(2);
  private @Nullable Thread runner;

  Afterwards(boolean mayBlock) {
    this(mayBlock, null);
  }

  private Afterwards(boolean mayBlock, @Nullable Afterwards outer) {
    this.mayBlock = mayBlock;
    this.outer = outer;
  }

  void add(Action action) {
    actions.add(action);
  }

  /** Tells whether it is being done by this thread. */
  boolean isRunningHere() {
    return (outer == null ? runner : outer.runner) == Thread.currentThread();
  }

  /** Something more, for the thread that does this; it does not wait for those others. */
  Afterwards nested() {
    return new Afterwards(false, outer == null ? this : outer);
  }

  /** Does all of it, whatever one of them throws: the next may be somebody's grant. */
  void run() {
    if (outer != null) {
      actions.forEach(action -> outer.add(unused -> action.run(false)));
      return;
    }
    runner = Thread.currentThread();
    @Nullable Throwable thrown = null;
    for (int i = 0; i < actions.size(); i++) { // By then there may be more.
      try {
        actions.get(i).run(mayBlock);
      } catch (Throwable e) {
        if (thrown == null) {
          thrown = e;
        } else if (thrown != e) {
          thrown.addSuppressed(e);
        }
      }
    }
    runner = null;
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
