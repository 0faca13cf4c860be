package dev.pawl.engine;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this node that wait for one kind of claim, in the order in which they came.
 * Guarded by the lock of its {@link LocalQueue}. The callers themselves are the links, so that one
 * of ten thousand leaves as quickly as the first.
 */
final class Line {

  private final Engine engine;
  private @Nullable Waiter first;
  private @Nullable Waiter last;
  private int size;

  /** How many of them wait for nothing but the store's next answer. */
  private int overdue;

  Line(Engine engine) {
    this.engine = engine;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  @Nullable Waiter first() {
    return first;
  }

  boolean contains(Waiter waiter) {
    return waiter.line == this;
  }

  void add(Waiter waiter) {
    waiter.line = this;
    waiter.ahead = last;
    if (last == null) {
      first = waiter;
    } else {
      last.behind = waiter;
    }
    last = waiter;
    size++;
    if (waiter.isImmediate()) {
      // It has no time of its own: it waits for the store's answer, and for nothing else.
      giveTimeForAnAnswer(waiter);
    } else if (waiter.waitNanos != Waiter.NO_DEADLINE) {
      engine.timers().set(waiter, waiter.endNanos());
    }
  }

  /** Gives a call whose time is up the time of any call, once, for the store's next answer. */
  void giveTimeForAnAnswer(Waiter waiter) {
    waiter.overdue = true;
    overdue++;
    engine.timers().set(waiter, waiter.endNanos() + engine.pace().responseNanos());
  }

  /** Takes a caller out; false if its call has ended already. */
  boolean remove(Waiter waiter) {
    if (!contains(waiter)) {
      return false;
    }
    Waiter ahead = waiter.ahead;
    Waiter behind = waiter.behind;
    if (ahead == null) {
      first = behind;
    } else {
      ahead.behind = behind;
    }
    if (behind == null) {
      last = ahead;
    } else {
      behind.ahead = ahead;
    }
    waiter.line = null;
    waiter.ahead = null;
    waiter.behind = null;
    size--;
    if (waiter.overdue) {
      overdue--;
    }
    return true;
  }

  /** Tells whether somebody in it would wait in the store. */
  boolean wouldWait() {
    return size == 0 || size > overdue;
  }

  /** Ends the call of one who stands in no line any more. */
  void end(Waiter waiter, Outcome outcome, Afterwards after) {
    engine.timers().cancel(waiter);
    after.add(mayBlock -> waiter.outcome.complete(outcome));
  }

  void endAll(Function<Waiter, Outcome> outcome, Afterwards after) {
    for (Waiter waiter = first; waiter != null; waiter = first) {
      remove(waiter);
      end(waiter, outcome.apply(waiter), after);
    }
  }

  /**
   * Ends the calls that waited for nothing but an answer of the store: those whose time was up, and
   * those that are now or never.
   */
  void endOverdue(Function<Waiter, Outcome> outcome, Afterwards after) {
    Waiter next = overdue == 0 ? null : first;
    while (next != null) {
      Waiter waiter = next;
      next = waiter.behind;
      if (waiter.overdue) {
        remove(waiter);
        end(waiter, outcome.apply(waiter), after);
      }
    }
  }
}
