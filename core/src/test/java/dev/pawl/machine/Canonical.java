package dev.pawl.machine;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.List;

/**
 * The form in which states are compared that differ only in when they are: the clock always shows
 * {@link #NOW}, whoever is over ended just now, and tokens are counted anew.
 */
final class Canonical {

  static final long NOW = 1_000_000_000;

  /** Room between the clock and tokens that are before it, or that ran ahead of it. */
  private static final long APART = 1_000;

  private Canonical() {}

  /** Returns the state as if it were now, at {@code now} by its own clock. */
  static LockState of(LockState state, long now) {
    long token = state.lastToken() < now ? NOW - APART : NOW + APART;
    List<Holder> holders = new ArrayList<>(state.holders().size());
    for (Holder h : state.holders()) {
      holders.add(
          new Holder(
              h.claim(),
              h.permits(),
              token,
              h.span(),
              NOW,
              NOW + Math.max(0, h.untilMicros() - now),
              h.label(),
              h.actor()));
      token += h.span();
    }
    List<Waiter> queue = new ArrayList<>(state.queue().size());
    for (Waiter w : state.queue()) {
      queue.add(
          new Waiter(
              w.claim(),
              w.permits(),
              w.capacity(),
              w.leaseMicros(),
              w.span(),
              w.mark(),
              w.fair(),
              NOW,
              NOW + Math.max(0, w.aliveUntilMicros() - now),
              w.label(),
              w.actor()));
    }
    List<Ended> ended = new ArrayList<>(state.ended().size());
    for (Ended e : state.ended()) {
      // How long it is remembered is left open: it may be forgotten at any time, see SmallWorld.
      boolean over = e.untilMicros() <= now;
      ended.add(new Ended(e.claim(), over ? NOW : NOW + LockMachine.ENDED_MICROS));
    }
    ended.sort((a, b) -> Long.compare(a.claim().counter(), b.claim().counter()));
    return new LockState(
        lastToken(state, token - 1), state.mark(), markUntil(state), holders, queue, ended);
  }

  /** How long a mark is kept is left open. */
  private static long markUntil(LockState state) {
    return state.mark().isPresent() ? NOW + Command.MIN_KEEP_MICROS : 0;
  }

  /** What matters of the last token is whether it belongs to the latest holder. */
  private static long lastToken(LockState state, long last) {
    if (state.holders().isEmpty()) {
      return last;
    }
    Holder latest = state.holders().get(state.holders().size() - 1);
    return latest.lastToken() == state.lastToken() ? last : last + 1;
  }
}
