package dev.pawl.machine;

import static dev.pawl.machine.Violation.Rule.I8_NOBODY_STUCK;
import static dev.pawl.machine.Violation.unless;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All states that a few claims can bring a name into, whatever they send, in whatever order and
 * however late, crash or no crash. Breadth first, so that the way to a violation is a shortest one.
 */
final class SmallWorld {

  /** How often those who wait ask again. */
  private static final long POLL_MICROS = 1_000_000;

  private final Machine machine;
  private final List<Command.Acquire> claims;
  private final Map<LockState, Integer> numbers = new HashMap<>();
  private final List<LockState> states = new ArrayList<>();
  private final List<Integer> parents = new ArrayList<>();
  private long transitions;
  private long longestWaitMicros;
  private long longestLonelyWaitMicros;

  SmallWorld(Machine machine, List<Command.Acquire> claims) {
    this.machine = machine;
    this.claims = claims;
  }

  /** Visits every state; throws an {@link AssertionError} with the way to a violation. */
  SmallWorld explore() {
    visit(LockState.EMPTY, -1);
    for (int i = 0; i < states.size(); i++) {
      LockState state = states.get(i);
      Move latest = null;
      try {
        for (Move move : Move.all(state, claims)) {
          latest = move;
          visit(next(state, move), i);
          transitions++;
        }
        latest = null;
        checkEverybodyComesThrough(state);
      } catch (Violation violation) {
        throw new AssertionError(way(i, latest, violation), violation);
      }
    }
    return this;
  }

  int states() {
    return states.size();
  }

  long transitions() {
    return transitions;
  }

  /** Returns how long a live waiter has waited at most, in a world where nobody releases. */
  long longestWaitMicros() {
    return longestWaitMicros;
  }

  /** Returns the same of one who was the only one alive. */
  long longestLonelyWaitMicros() {
    return longestLonelyWaitMicros;
  }

  private void visit(LockState state, int parent) {
    LockState canonical = Canonical.of(state, Canonical.NOW);
    if (numbers.putIfAbsent(canonical, states.size()) == null) {
      states.add(canonical);
      parents.add(parent);
    }
  }

  /** Returns what a move makes of a canonical state, brought back to where the clock shows NOW. */
  private LockState next(LockState state, Move move) {
    if (move instanceof Move.Arrives arrives) {
      Step<?> step = machine.apply(state, arrives.command(), Canonical.NOW);
      Invariants.check(machine, state, arrives.command(), Canonical.NOW, step);
      return step.state();
    } else if (move instanceof Move.TimePasses time) {
      return Canonical.of(state, Canonical.NOW + time.micros());
    }
    Ended over = ((Move.MemoryEnds) move).ended();
    List<Ended> ended = new ArrayList<>(state.ended());
    ended.replaceAll(e -> e.equals(over) ? new Ended(e.claim(), Canonical.NOW) : e);
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.markUntilMicros(),
        state.holders(),
        state.queue(),
        ended);
  }

  /**
   * I8: whichever of the waiters live and poll, they are granted, though everybody else is dead.
   */
  private void checkEverybodyComesThrough(LockState state) {
    List<Waiter> waiters =
        state.queue().stream().filter(w -> w.aliveUntilMicros() > Canonical.NOW).toList();
    for (int subset = 1; subset < 1 << waiters.size(); subset++) {
      List<Waiter> alive = new ArrayList<>();
      for (int i = 0; i < waiters.size(); i++) {
        if ((subset >> i & 1) == 1) {
          alive.add(waiters.get(i));
        }
      }
      poll(state, alive);
    }
  }

  /** Polls until each was granted and confirmed; then it dies too. */
  private void poll(LockState from, List<Waiter> alive) {
    LockState state = from;
    long now = Canonical.NOW;
    boolean lonely = alive.size() == 1;
    long patience = now + 60_000_000;
    while (!alive.isEmpty()) {
      for (Waiter waiter : List.copyOf(alive)) {
        Command.Renew poll =
            new Command.Renew(
                Script.NAME,
                waiter.claim(),
                waiter.permits(),
                waiter.leaseMicros(),
                waiter.actor());
        Step<?> step = machine.apply(state, poll, now);
        state = step.state();
        unless(
            !(step.reply() instanceof RenewReply.Gone), I8_NOBODY_STUCK, waiter, " polls, is gone");
        if (step.reply() instanceof RenewReply.Held) {
          alive.remove(waiter);
          longestWaitMicros = Math.max(longestWaitMicros, now - Canonical.NOW);
          if (lonely) {
            longestLonelyWaitMicros = Math.max(longestLonelyWaitMicros, now - Canonical.NOW);
          }
        }
      }
      now += POLL_MICROS;
      unless(now < patience, I8_NOBODY_STUCK, alive, " poll for ever");
    }
  }

  private String way(int number, Move latest, Violation violation) {
    List<LockState> path = new ArrayList<>();
    for (int i = number; i >= 0; i = parents.get(i)) {
      path.add(0, states.get(i));
    }
    StringBuilder text = new StringBuilder(violation.getMessage()).append("\nthe way there:\n");
    for (int i = 0; i + 1 < path.size(); i++) {
      text.append("  ").append(move(path.get(i), path.get(i + 1))).append('\n');
    }
    text.append(latest == null ? "  those who live poll" : "  " + latest);
    return text.append("\nclaims: ").append(claims).toString();
  }

  private Move move(LockState from, LockState to) {
    return Move.all(from, claims).stream()
        .filter(move -> Canonical.of(next(from, move), Canonical.NOW).equals(to))
        .findFirst()
        .orElseThrow();
  }
}
