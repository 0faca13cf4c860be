package dev.pawl.machine;

import static dev.pawl.machine.Violation.Rule.*;
import static dev.pawl.machine.Violation.unless;

import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;

/** The rules of one turn: what must hold between a state, a command and what became of them. */
final class Invariants {

  private final LockState before;
  private final Command command;
  private final long now;
  private final LockState after;
  private final Step<?> step;
  private final Expected expected;

  /** Everybody granted in this turn, in the order of the grants. */
  private final List<Holder> granted;

  /** Those who were not granted. */
  private final List<Waiter> left;

  /** Who of them is bid show life. */
  private final List<ClaimId> summoned = new ArrayList<>();

  private Invariants(LockState before, Command command, long now, Step<?> step) {
    this.before = before;
    this.command = command;
    this.now = now;
    this.step = step;
    this.after = step.state();
    this.expected = new Expected(before, command, now);
    int stayed = Math.min(expected.holders.size(), after.holders().size());
    this.granted = after.holders().subList(stayed, after.holders().size());
    this.left = new ArrayList<>(expected.queue);
    left.removeIf(w -> token(w.claim()) > 0);
    summon();
  }

  /**
   * I6: where the first fair waiter was far back when it was last heard of, and one of the first
   * eight behind it would fit, that one and the fair ones ahead of it show life as who is near.
   */
  private void summon() {
    long held = permits(after.holders());
    List<Waiter> upTo = new ArrayList<>();
    for (Waiter waiter : left.subList(0, Math.min(left.size(), 8))) {
      boolean first = upTo.isEmpty();
      if (first && waiter.fair() && (!isFar(waiter) || held >= waiter.capacity())) {
        return;
      }
      boolean fits = !first && held + waiter.permits() <= waiter.capacity();
      if (waiter.fair() || fits) {
        upTo.add(waiter);
      }
      if (fits) {
        upTo.stream().filter(this::isFar).map(Waiter::claim).forEach(summoned::add);
        left.replaceAll(
            w -> summoned.contains(w.claim()) ? w.alive(now + 2_000_000, w.actor()) : w);
        return;
      }
    }
  }

  private boolean isFar(Waiter waiter) {
    return waiter.aliveUntilMicros() > now + 2_000_000;
  }

  /** Checks one turn of the machine, and that a second copy of the command does nothing. */
  static void check(Machine machine, LockState before, Command command, long now, Step<?> step) {
    Invariants turn = new Invariants(before, command, now, step);
    turn.checkShape();
    turn.checkOthers();
    turn.checkGrants();
    turn.checkOrder();
    turn.checkNobodyStuck();
    turn.checkSignals();
    Replies.check(turn.expected, command, now, step);
    turn.checkTwice(machine);
  }

  private void checkShape() {
    List<ClaimId> seen = new ArrayList<>();
    long token = 0;
    for (Holder holder : after.holders()) {
      unless(!seen.contains(holder.claim()), SHAPE, holder.claim(), " is there twice");
      seen.add(holder.claim());
      unless(holder.untilMicros() > now, SHAPE, holder, " is over at ", now);
      unless(holder.token() > token, I3_TOKENS, holder, " shares tokens up to ", token);
      unless(!expected.isEnded(holder.claim()), I5_ENDED, holder);
      unless(
          holder.permits() < Command.EVERYTHING || after.holders().size() == 1,
          I1_EXCLUSION,
          "an exclusive holder among ",
          after.holders());
      token = holder.lastToken();
    }
    unless(after.lastToken() >= token, I3_TOKENS, after.lastToken(), " is below ", token);
    for (Waiter waiter : after.queue()) {
      unless(!seen.contains(waiter.claim()), SHAPE, waiter.claim(), " is there twice");
      seen.add(waiter.claim());
      unless(waiter.aliveUntilMicros() > now, SHAPE, waiter, " is dead at ", now);
      unless(!expected.isReached(waiter.mark()), MARK, waiter, " waits for a mark reached");
      unless(!expected.isEnded(waiter.claim()), I5_ENDED, waiter);
    }
  }

  /** I4, marks, and no lost waiter: nothing changes but what the command and the clock change. */
  private void checkOthers() {
    unless(
        after.holders().size() >= expected.holders.size()
            && after.holders().subList(0, expected.holders.size()).equals(expected.holders),
        I4_OWNER,
        "holders ",
        after.holders(),
        " instead of ",
        expected.holders,
        " and new ones");
    unless(after.ended().equals(expected.ended), I5_ENDED, after.ended(), " are ended");
    unless(after.mark().equals(expected.mark), MARK, after.mark(), ", not ", expected.mark);
    unless(
        after.markUntilMicros() == expected.markUntil,
        MARK,
        "kept until ",
        after.markUntilMicros(),
        ", not ",
        expected.markUntil);
    left.removeIf(this::isTurnedAway);
    unless(
        after.queue().equals(left),
        after.queue().containsAll(left) ? I4_OWNER : LOST_WAITER,
        "queue is ",
        after.queue(),
        " instead of ",
        left);
  }

  /** A claim that did not want to queue leaves with the turn, unless it waited before. */
  private boolean isTurnedAway(Waiter waiter) {
    Command.Acquire asked = asked(command);
    return asked != null
        && !asked.queue()
        && !expected.known
        && waiter.claim().equals(asked.claim());
  }

  static Command.Acquire asked(Command command) {
    return command instanceof Command.Acquire acquire
        ? acquire
        : command instanceof Command.Yield yielded ? yielded.next() : null;
  }

  /**
   * I1, I3, I6: each grant fits, has a new token, and lasts as long as its node is believed alive.
   */
  private void checkGrants() {
    long held = permits(expected.holders);
    long floor = expected.tokenFloor;
    for (Holder holder : granted) {
      Waiter waiter = waiter(holder.claim());
      held += holder.permits();
      unless(held <= waiter.capacity(), I1_EXCLUSION, held, " held with ", waiter);
      unless(
          holder.token() > floor && holder.token() >= now,
          I3_TOKENS,
          holder,
          " after ",
          floor,
          " at ",
          now);
      unless(
          holder.permits() == waiter.permits()
              && holder.span() == waiter.span()
              && holder.sinceMicros() == now
              && holder.label().equals(waiter.label())
              && holder.actor().equals(waiter.actor()),
          I4_OWNER,
          holder,
          " is not what ",
          waiter,
          " asked for");
      boolean asks = expected.asking.filter(holder.claim()::equals).isPresent();
      long lease = waiter.leaseMicros();
      unless(
          holder.untilMicros() - now
              == (asks ? lease : Math.min(lease, LockMachine.CLAIM_WINDOW_MICROS)),
          I6_WINDOW,
          holder,
          " at ",
          now);
      unless(!expected.isReached(waiter.mark()), MARK, waiter, " is granted though done");
      floor = holder.lastToken();
    }
    unless(
        after.lastToken() == floor,
        I3_TOKENS,
        "last token is ",
        after.lastToken(),
        " instead of ",
        floor);
  }

  private static long permits(List<Holder> holders) {
    long sum = 0;
    for (Holder holder : holders) {
      sum += holder.permits();
    }
    return sum;
  }

  private Waiter waiter(ClaimId claim) {
    return expected.queue.stream()
        .filter(w -> w.claim().equals(claim))
        .findFirst()
        .orElseThrow(() -> new Violation(I4_OWNER, claim + " holds and did not wait"));
  }

  /** I7: nobody is granted past a fair waiter, neither past one who stays nor past one who goes. */
  private void checkOrder() {
    long fairToken = 0;
    Waiter blocked = null;
    for (Waiter waiter : expected.queue) {
      long token = token(waiter.claim());
      if (token == 0) {
        blocked = blocked == null && waiter.fair() ? waiter : blocked;
        continue;
      }
      unless(blocked == null, I7_ORDER, waiter, " is granted past ", blocked);
      unless(token > fairToken, I7_ORDER, waiter, " is granted before one who is ahead");
      fairToken = waiter.fair() ? token : fairToken;
    }
  }

  /** Returns the token a claim was granted in this turn, or zero. */
  private long token(ClaimId claim) {
    for (Holder holder : granted) {
      if (holder.claim().equals(claim)) {
        return holder.token();
      }
    }
    return 0;
  }

  /** I8: whoever fits and has nobody fair ahead has been granted. */
  private void checkNobodyStuck() {
    long held = permits(after.holders());
    for (Waiter waiter : after.queue()) {
      unless(held + waiter.permits() > waiter.capacity(), I8_NOBODY_STUCK, waiter);
      if (waiter.fair()) {
        return;
      }
    }
  }

  private void checkSignals() {
    List<Signal> told = new ArrayList<>(expected.signals);
    for (Holder holder : granted) {
      if (expected.asking.filter(holder.claim()::equals).isEmpty()) {
        told.add(
            new Signal.Granted(
                command.name(),
                new Grant(
                    holder.claim(), holder.token(), holder.span(), holder.untilMicros(), now)));
      }
    }
    summoned.forEach(claim -> told.add(new Signal.Summoned(command.name(), claim)));
    unless(
        step.signals().size() == told.size() && told.containsAll(step.signals()),
        SIGNAL,
        step.signals(),
        " instead of ",
        told);
  }

  /** I5: the same command once more, at once, changes nothing and tells nobody. */
  private void checkTwice(Machine machine) {
    Step<?> again = machine.apply(after, command, now);
    LockState once = nearer(after);
    unless(
        again.state().equals(once),
        I5_IDEMPOTENCE,
        "from ",
        before,
        " once ",
        once,
        ", twice ",
        again.state());
    unless(again.signals().isEmpty(), I5_IDEMPOTENCE, "told twice: ", again.signals());
    Replies.checkSecond(step.reply(), again.reply());
  }

  /** The claim that asks may have come near by the grants of its turn, and shows life as such. */
  private LockState nearer(LockState state) {
    List<Waiter> queue = new ArrayList<>(state.queue());
    for (int i = 0; i < Math.min(queue.size(), 8); i++) {
      Waiter waiter = queue.get(i);
      if (expected.asking.filter(waiter.claim()::equals).isPresent() && isFar(waiter)) {
        queue.set(i, waiter.alive(now + 2_000_000, waiter.actor()));
      }
    }
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.markUntilMicros(),
        state.holders(),
        queue,
        state.ended());
  }
}
