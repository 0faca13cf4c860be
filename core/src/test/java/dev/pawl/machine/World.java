package dev.pawl.machine;

import static dev.pawl.machine.Violation.Rule.FORGETTING;
import static dev.pawl.machine.Violation.Rule.I3_TOKENS;
import static dev.pawl.machine.Violation.Rule.I5_ENDED;
import static dev.pawl.machine.Violation.Rule.I7_ORDER;
import static dev.pawl.machine.Violation.unless;

import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * One name, its clock, and what an observer remembers of it: runs events and checks, after each of
 * them, the rules of one turn and those that reach over many.
 */
final class World {

  private static final long START = 1_000_000_000;

  private final Machine machine;
  private LockState state = LockState.EMPTY;
  private long now = START;

  /** What became of each event, which may be copied later. */
  private final IdentityHashMap<Event, Command> sent = new IdentityHashMap<>();

  private final Map<ClaimId, Long> lastGrants = new HashMap<>();
  private final Map<ClaimId, Long> endedUntil = new HashMap<>();
  private final Map<ClaimId, Long> arrivals = new HashMap<>();
  private long turns;
  private long grants;
  private long summons;

  /** The highest token that a grant which is over may have given to somebody. */
  private long settledToken;

  World(Machine machine) {
    this.machine = machine;
  }

  /** Runs the events from the start; throws a {@link Violation} where a rule is broken. */
  static World run(Machine machine, List<Event> events) {
    World world = new World(machine);
    events.forEach(world::happen);
    return world;
  }

  LockState state() {
    return state;
  }

  long turns() {
    return turns;
  }

  long grants() {
    return grants;
  }

  long summons() {
    return summons;
  }

  void happen(Event event) {
    if (event instanceof Event.Pass pass) {
      now += pass.micros();
    } else if (event instanceof Event.PassToNextEnd pass) {
      now = Math.max(now, nextEnd() + pass.offset());
    } else if (event instanceof Event.CleanUp) {
      if (machine.isForgettable(state, now)) {
        forget();
      }
    } else if (event instanceof Event.Amnesia) {
      if (now > state.lastToken()) {
        endedUntil.clear();
        forget();
      }
    } else {
      Command command =
          event instanceof Event.Copy copy ? sent.get(copy.original()) : resolve(event);
      if (command != null && !isBeforeItsTime(command)) {
        sent.put(event, command);
        send(command);
      }
    }
  }

  /** Only a claim that holds goes on with fewer permits; one that waits has not been told to. */
  private boolean isBeforeItsTime(Command command) {
    return command instanceof Command.Renew renew
        && state.queue().stream()
            .anyMatch(
                w ->
                    w.claim().equals(renew.claim())
                        && (w.permits() != renew.permits()
                            || w.leaseMicros() != renew.leaseMicros()));
  }

  private void forget() {
    state.holders().forEach(h -> settledToken = Math.max(settledToken, h.lastToken()));
    arrivals.clear();
    state = LockState.EMPTY;
  }

  private Command resolve(Event event) {
    if (event instanceof Event.Send send) {
      return send.command();
    } else if (event instanceof Event.Release release) {
      return resolve(release);
    } else if (event instanceof Event.Yield yielded) {
      return new Command.Yield(resolve(yielded.release()), yielded.next());
    } else if (event instanceof Event.Evict evict) {
      long token = lastGrants.getOrDefault(evict.claim(), 0L);
      return new Command.Evict(Script.NAME, token + evict.offset());
    }
    throw new IllegalArgumentException("not a command: " + event);
  }

  private Command.Release resolve(Event.Release release) {
    long used = lastGrants.getOrDefault(release.claim(), 0L) + release.used();
    return new Command.Release(
        Script.NAME, release.claim(), used, release.mark(), keep(used), release.late());
  }

  /** One mark in four is kept for longer than the usual time. */
  private static long keep(long used) {
    return Command.MIN_KEEP_MICROS * (used % 4 == 0 ? 3 : 1);
  }

  private long nextEnd() {
    return LongStream.concat(
            LongStream.concat(
                state.holders().stream().mapToLong(Holder::untilMicros),
                state.queue().stream().mapToLong(Waiter::aliveUntilMicros)),
            state.ended().stream().mapToLong(LockState.Ended::untilMicros))
        .filter(end -> end > now)
        .min()
        .orElse(now);
  }

  private void send(Command command) {
    LockState before = state;
    Step<?> step = machine.apply(before, command, now);
    Invariants.check(machine, before, command, now, step);
    if (before.mark().isEmpty() && machine.isForgettable(before, now)) {
      Step<?> other = machine.apply(LockState.EMPTY, command, now);
      unless(isLike(other, step), FORGETTING, other, " instead of ", step);
    }
    observe(before, command, step.state());
    state = step.state();
    turns++;
    summons += step.signals().stream().filter(Signal.Summoned.class::isInstance).count();
  }

  /** The same in all that anybody will ever see: the last token does not show once it is past. */
  private boolean isLike(Step<?> one, Step<?> other) {
    LockState a = one.state();
    LockState b = other.state();
    return one.reply().equals(other.reply())
        && one.signals().equals(other.signals())
        && a.holders().equals(b.holders())
        && a.queue().equals(b.queue())
        && a.ended().equals(b.ended())
        && a.mark().equals(b.mark())
        && (a.lastToken() == b.lastToken() || Math.max(a.lastToken(), b.lastToken()) < now);
  }

  private static boolean isBack(Waiter waiter, LockState after) {
    return after.queue().stream()
        .filter(w -> w.claim().equals(waiter.claim()))
        .anyMatch(w -> w.sinceMicros() != waiter.sinceMicros());
  }

  /** Checks I3, I5 and I7 against everything that has happened, not only against the state. */
  private void observe(LockState before, Command command, LockState after) {
    // Whoever died, or was taken for dead, and comes back is new.
    before.queue().stream()
        .filter(w -> w.aliveUntilMicros() <= now || isBack(w, after))
        .forEach(w -> arrivals.remove(w.claim()));
    before.holders().stream()
        .filter(h -> after.holders().stream().noneMatch(a -> a.token() == h.token()))
        .forEach(h -> settledToken = Math.max(settledToken, lastUsed(h, command)));
    long highest = settledToken;
    for (Holder holder : after.holders()) {
      if (before.holders().stream().noneMatch(b -> b.token() == holder.token())) {
        unless(holder.token() > highest, I3_TOKENS, holder, " after ", highest);
        observeGrant(holder, after);
      }
      highest = Math.max(highest, holder.lastToken());
    }
    for (Waiter waiter : after.queue()) {
      arrivals.putIfAbsent(waiter.claim(), turns);
    }
    arrivals.keySet().removeIf(c -> after.queue().stream().noneMatch(w -> w.claim().equals(c)));
    late(command);
    if (command instanceof Command.Evict evict) {
      before.holders().stream()
          .filter(h -> h.untilMicros() > now)
          .filter(h -> h.token() <= evict.token() && evict.token() <= h.lastToken())
          .forEach(h -> ended(h.claim()));
    }
  }

  private void observeGrant(Holder holder, LockState after) {
    grants++;
    lastGrants.put(holder.claim(), holder.token());
    unless(endedUntil.getOrDefault(holder.claim(), 0L) <= now, I5_ENDED, holder);
    long arrived = arrivals.getOrDefault(holder.claim(), turns);
    for (Waiter waiter : after.queue()) {
      unless(
          !waiter.fair() || arrivals.getOrDefault(waiter.claim(), turns) >= arrived,
          I7_ORDER,
          holder.claim(),
          " is granted and ",
          waiter.claim(),
          " came before it");
    }
  }

  /** Returns the last token of a grant that is over which anybody may have seen. */
  private long lastUsed(Holder holder, Command command) {
    Command.Release release =
        command instanceof Command.Release r
            ? r
            : command instanceof Command.Yield y ? y.release() : null;
    boolean told =
        release != null
            && release.claim().equals(holder.claim())
            && release.usedToken() >= holder.token()
            && release.usedToken() < holder.lastToken()
            && holder.untilMicros() > now;
    return told ? release.usedToken() : holder.lastToken();
  }

  private void late(Command command) {
    if (command instanceof Command.Release release && release.late()) {
      ended(release.claim());
    } else if (command instanceof Command.Yield yielded && yielded.release().late()) {
      ended(yielded.release().claim());
    } else if (command instanceof Command.Cancel cancel && cancel.late()) {
      ended(cancel.claim());
    }
  }

  /** The first end counts: whatever is under way was sent before it. */
  private void ended(ClaimId claim) {
    if (endedUntil.getOrDefault(claim, 0L) <= now) {
      endedUntil.put(claim, now + LockMachine.ENDED_MICROS);
    }
  }
}
