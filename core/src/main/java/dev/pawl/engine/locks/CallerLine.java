package dev.pawl.engine.locks;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this node that wait for one kind of claim, in the order in which they came.
 * Guarded by the lock of its {@link LocalQueue}. The callers themselves are the links, so that one
 * of ten thousand leaves as quickly as the first.
 */
final class CallerLine {

  private final Engine engine;
  private @Nullable Caller first;
  private @Nullable Caller last;
  private int size;

  /** How many of them wait for nothing but the store's next answer. */
  private int overdue;

  CallerLine(Engine engine) {
    this.engine = engine;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  @Nullable Caller first() {
    return first;
  }

  boolean contains(Caller caller) {
    return caller.line == this;
  }

  void add(Caller caller) {
    caller.line = this;
    caller.ahead = last;
    if (last == null) {
      first = caller;
    } else {
      last.behind = caller;
    }
    last = caller;
    size++;
    if (caller.isImmediate()) {
      // It has no time of its own: it waits for the store's answer, and for nothing else.
      giveTimeForAnAnswer(caller);
    } else if (caller.waitNanos != Caller.NO_DEADLINE) {
      engine.timers().set(caller, caller.endNanos());
    }
  }

  /** Gives a call whose time is up the time of any call, once, for the store's next answer. */
  void giveTimeForAnAnswer(Caller caller) {
    caller.overdue = true;
    overdue++;
    engine.timers().set(caller, caller.endNanos() + engine.link().pace().responseNanos());
  }

  /** Takes a caller out; false if its call has ended already. */
  boolean remove(Caller caller) {
    if (!contains(caller)) {
      return false;
    }
    Caller ahead = caller.ahead;
    Caller behind = caller.behind;
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
    caller.line = null;
    caller.ahead = null;
    caller.behind = null;
    size--;
    if (caller.overdue) {
      overdue--;
    }
    return true;
  }

  /** Tells whether somebody in it would wait in the store. */
  boolean wouldWait() {
    return size == 0 || size > overdue;
  }

  /** Ends the call of one who stands in no line any more. */
  void end(Caller caller, CallResult outcome, Afterwards after) {
    engine.timers().cancel(caller);
    after.add(mayBlock -> caller.outcome.complete(outcome));
  }

  void endAll(Function<Caller, CallResult> outcome, Afterwards after) {
    for (Caller caller = first; caller != null; caller = first) {
      remove(caller);
      end(caller, outcome.apply(caller), after);
    }
  }

  /**
   * Ends the calls that waited for nothing but an answer of the store: those whose time was up, and
   * those that are now or never.
   */
  void endOverdue(Function<Caller, CallResult> outcome, Afterwards after) {
    Caller next = overdue == 0 ? null : first;
    while (next != null) {
      Caller caller = next;
      next = caller.behind;
      if (caller.overdue) {
        remove(caller);
        end(caller, outcome.apply(caller), after);
      }
    }
  }
}
