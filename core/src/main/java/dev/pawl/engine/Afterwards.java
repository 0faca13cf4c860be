package dev.pawl.engine;

import java.util.ArrayList;
import java.util.List;

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

  void run() {
    for (Action action : actions) {
      action.run(mayBlock);
    }
  }
}
