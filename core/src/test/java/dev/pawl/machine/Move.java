package dev.pawl.machine;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What can happen next in a {@link SmallWorld}. A crash is a claim of which nothing more comes. */
sealed interface Move {

  long TICK_MICROS = 1_000_000;

  /** A command arrives. */
  record Arrives(Command command) implements Move {
    @Override
    public String toString() {
      return Texts.of(command);
    }
  }

  /** Time passes; all leases and lives are a whole number of these, so none ends in between. */
  record TimePasses(long micros) implements Move {}

  /** So much time has passed that one ended claim is not remembered any more. */
  record MemoryEnds(Ended ended) implements Move {}

  /** Returns everything that can happen in a state to any of the claims, however late. */
  static List<Move> all(LockState state, List<Command.Acquire> claims) {
    List<Move> moves = new ArrayList<>(40);
    for (Command.Acquire claim : claims) {
      moves.add(new Arrives(claim));
      moves.add(new Arrives(withoutQueue(claim)));
      moves.add(new Arrives(renew(claim, claim.permits())));
      if (claim.permits() > 1 && isNotWaiting(state, claim)) {
        moves.add(new Arrives(renew(claim, 1)));
      }
      moves.add(new Arrives(release(state, claim, false)));
      moves.add(new Arrives(release(state, claim, true)));
      moves.add(new Arrives(new Command.Cancel(Script.NAME, claim.claim(), false)));
      moves.add(new Arrives(new Command.Cancel(Script.NAME, claim.claim(), true)));
      for (Command.Acquire next : claims) {
        if (!next.equals(claim)) {
          moves.add(new Arrives(new Command.Yield(release(state, claim, false), next)));
        }
      }
    }
    for (Holder holder : state.holders()) {
      moves.add(new Arrives(new Command.Evict(Script.NAME, holder.lastToken())));
    }
    if (state.mark().isPresent()) {
      long mark = state.mark().getAsLong();
      moves.add(new Arrives(new Command.Reset(Script.NAME, mark, OptionalLong.empty())));
      moves.add(new Arrives(new Command.Reset(Script.NAME, mark + 1, OptionalLong.of(mark))));
    }
    if (Stream.concat(
            state.holders().stream().map(Holder::untilMicros),
            state.queue().stream().map(Waiter::aliveUntilMicros))
        .anyMatch(end -> end > Canonical.NOW)) {
      moves.add(new TimePasses(TICK_MICROS));
    }
    for (Ended ended : state.ended()) {
      if (ended.untilMicros() > Canonical.NOW) {
        moves.add(new MemoryEnds(ended));
      }
    }
    return moves;
  }

  static Command.Renew renew(Command.Acquire claim, int permits) {
    return new Command.Renew(
        Script.NAME, claim.claim(), permits, claim.leaseMicros(), claim.actor());
  }

  private static boolean isNotWaiting(LockState state, Command.Acquire claim) {
    return state.queue().stream().noneMatch(w -> w.claim().equals(claim.claim()));
  }

  /** A release that used one token; a late one does not know how many it used. */
  private static Command.Release release(LockState state, Command.Acquire claim, boolean late) {
    long used =
        state.holders().stream()
            .filter(h -> !late && h.claim().equals(claim.claim()))
            .mapToLong(Holder::token)
            .findFirst()
            .orElse(0);
    OptionalLong mark = late ? OptionalLong.empty() : claim.mark();
    return new Command.Release(Script.NAME, claim.claim(), used, mark, late);
  }

  private static Command.Acquire withoutQueue(Command.Acquire a) {
    return new Command.Acquire(
        a.name(),
        a.claim(),
        a.permits(),
        a.capacity(),
        a.leaseMicros(),
        a.span(),
        a.mark(),
        false,
        a.fair(),
        a.label(),
        a.actor());
  }
}
