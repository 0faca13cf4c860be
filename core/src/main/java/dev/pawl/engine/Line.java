package dev.pawl.engine;

import java.util.ArrayDeque;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this node that wait for one name, in the order in which they came. Guarded by the
 * lock of its {@link LocalQueue}.
 */
final class Line {

  private final Engine engine;
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>(1);

  Line(Engine engine) {
    this.engine = engine;
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  int size() {
    return waiters.size();
  }

  @Nullable Waiter first() {
    return waiters.peek();
  }

  boolean contains(Waiter waiter) {
    return waiters.contains(waiter);
  }

  void add(Waiter waiter) {
    waiters.add(waiter);
    if (waiter.waitNanos != Waiter.NO_DEADLINE) {
      // Now or never has no time of its own: it waits for the store's answer, and for nothing else.
      waiter.overdue = waiter.isImmediate();
      engine
          .timers()
          .set(waiter, waiter.endNanos() + (waiter.overdue ? engine.pace().responseNanos() : 0));
    }
  }

  /** Takes a caller out; false if its call has ended already. */
  boolean remove(Waiter waiter) {
    return waiters.remove(waiter);
  }

  /** Tells whether the claim is asked for on behalf of somebody who would wait in the store. */
  boolean wouldWait() {
    Waiter first = waiters.peek();
    return first == null || !first.isImmediate() || waiters.size() > 1;
  }

  /** Ends the call of one who stands in no line any more. */
  void end(Waiter waiter, Outcome outcome, Afterwards after) {
    engine.timers().cancel(waiter);
    after.add(mayBlock -> waiter.outcome.complete(outcome));
  }

  void endAll(Function<Waiter, Outcome> outcome, Afterwards after) {
    for (Waiter waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
      end(waiter, outcome.apply(waiter), after);
    }
  }

  /**
   * Ends the calls that waited for nothing but the store's first answer: those whose time was up,
   * and the one that is now or never, which stands first and got a place in the queue for others.
   */
  void endOverdue(Function<Waiter, Outcome> outcome, Afterwards after) {
    waiters.removeIf(
        waiter -> {
          if (waiter.overdue) {
            end(waiter, outcome.apply(waiter), after);
          }
          return waiter.overdue;
        });
  }
}
