package dev.pawl.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.OptionalLong;

/** One name and a clock to set, for examples; every command is also checked by the invariants. */
final class Scene {

  static final long START = 1_000 * Ask.SECOND;

  LockState state = LockState.EMPTY;
  long now = START;
  List<Signal> signals = List.of();

  Scene pass(long micros) {
    now += micros;
    return this;
  }

  AcquireReply acquire(Ask ask) {
    return (AcquireReply) send(ask.command());
  }

  Grant granted(Ask ask) {
    AcquireReply reply = acquire(ask);
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    return ((AcquireReply.Granted) reply).grant();
  }

  Contention queued(Ask ask) {
    AcquireReply reply = acquire(ask);
    assertThat(reply).isInstanceOf(AcquireReply.Queued.class);
    return ((AcquireReply.Queued) reply).contention();
  }

  Contention busy(Ask ask) {
    AcquireReply reply = acquire(ask.noQueue());
    assertThat(reply).isInstanceOf(AcquireReply.Busy.class);
    return ((AcquireReply.Busy) reply).contention();
  }

  RenewReply renew(Ask ask) {
    return renew(ask, ask.permits());
  }

  RenewReply renew(Ask ask, int permits) {
    return (RenewReply)
        send(
            new Command.Renew(
                Script.NAME,
                ask.claim(),
                permits,
                ask.leaseMicros(),
                "actor " + ask.claim().node()));
  }

  ReleaseReply release(String node) {
    return release(node, 0, OptionalLong.empty(), false);
  }

  ReleaseReply release(String node, long usedToken, OptionalLong mark, boolean late) {
    return (ReleaseReply) send(ending(node, usedToken, mark, late));
  }

  AcquireReply yieldGrant(String node, Ask next) {
    return (AcquireReply)
        send(new Command.Yield(ending(node, 0, OptionalLong.empty(), false), next.command()));
  }

  CancelReply cancel(String node, boolean late) {
    return (CancelReply) send(new Command.Cancel(Script.NAME, Ask.id(node), late));
  }

  EvictReply evict(long token) {
    return (EvictReply) send(new Command.Evict(Script.NAME, token));
  }

  List<String> holders() {
    return state.holders().stream().map(Holder::claim).map(c -> c.node()).toList();
  }

  List<String> queue() {
    return state.queue().stream().map(Waiter::claim).map(c -> c.node()).toList();
  }

  /** Returns the nodes that were told of a grant by the latest command. */
  List<String> told() {
    return signals.stream()
        .filter(Signal.Granted.class::isInstance)
        .map(signal -> ((Signal.Granted) signal).grant().claim().node())
        .toList();
  }

  /** Returns the nodes that the latest command has bid show life. */
  List<String> summoned() {
    return signals.stream()
        .filter(Signal.Summoned.class::isInstance)
        .map(signal -> ((Signal.Summoned) signal).claim().node())
        .toList();
  }

  static Command.Release ending(String node, long usedToken, OptionalLong mark, boolean late) {
    return new Command.Release(Script.NAME, Ask.id(node), usedToken, mark, late);
  }

  Object send(Command command) {
    Step<?> step = Machine.REAL.apply(state, command, now);
    Invariants.check(Machine.REAL, state, command, now, step);
    state = step.state();
    signals = step.signals();
    return step.reply();
  }
}
