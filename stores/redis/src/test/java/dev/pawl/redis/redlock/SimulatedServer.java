package dev.pawl.redis.redlock;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** A server of Redlock without a network: the machine, a clock that is off, and faults. */
final class SimulatedServer implements RedlockServer {

  private final Map<String, LockState> names = new HashMap<>();
  private final LongSupplier clockMicros;
  private final Random random;

  /** How much its clock is ahead. */
  long skewMicros;

  /** Until when it is down, by the true time. */
  long downUntilMicros;

  /** How many replies in a hundred are lost. */
  int lossPercent;

  SimulatedServer(LongSupplier clockMicros, Random random) {
    this.clockMicros = clockMicros;
    this.random = random;
  }

  void forgetEverything() {
    names.clear();
  }

  /** Tells whether somebody holds the name, or did and was not missed yet. */
  boolean hasHolders(String name) {
    return !names.getOrDefault(name, LockState.EMPTY).holders().isEmpty();
  }

  private long now() {
    return clockMicros.getAsLong() + skewMicros;
  }

  private <R> CompletionStage<R> run(String name, Function<LockState, Step<R>> command) {
    if (clockMicros.getAsLong() < downUntilMicros) {
      return CompletableFuture.failedFuture(new StoreUnavailableException("down", null));
    }
    Step<R> step = command.apply(names.getOrDefault(name, LockState.EMPTY));
    names.put(name, step.state());
    return random.nextInt(100) < lossPercent
        ? CompletableFuture.failedFuture(new OutcomeUnknownException("lost", null))
        : CompletableFuture.completedFuture(step.reply());
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire c, long floor) {
    return run(c.name(), state -> LockMachine.acquire(raised(state, c, floor), unqueued(c), now()));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield c, long floor) {
    Command.Yield yield = new Command.Yield(c.release(), unqueued(c.next()));
    return run(
        c.name(), state -> LockMachine.yieldGrant(raised(state, c.next(), floor), yield, now()));
  }

  private static Command.Acquire unqueued(Command.Acquire c) {
    return new Command.Acquire(
        c.name(),
        c.claim(),
        c.permits(),
        c.capacity(),
        c.leaseMicros(),
        c.span(),
        c.mark(),
        false,
        false,
        c.label(),
        c.actor());
  }

  /** The least token counts for a grant, which one that has ended does not get. */
  private LockState raised(LockState state, Command.Acquire c, long floor) {
    boolean ended =
        state.ended().stream()
            .anyMatch(each -> each.claim().equals(c.claim()) && each.untilMicros() > now());
    return state.holders().isEmpty() && !ended
        ? new LockState(
            Math.max(state.lastToken(), floor - 1),
            state.mark(),
            state.markUntilMicros(),
            state.holders(),
            state.queue(),
            state.ended())
        : state;
  }

  @Override
  public CompletionStage<Boolean> setToken(Command.Acquire c, long token) {
    return run(
        c.name(),
        state -> {
          List<LockState.Holder> holders =
              state.holders().stream()
                  .map(h -> h.claim().equals(c.claim()) ? withToken(h, token) : h)
                  .toList();
          boolean holds =
              holders.stream()
                  .anyMatch(h -> h.claim().equals(c.claim()) && h.untilMicros() > now());
          boolean wasLast =
              state.holders().stream()
                  .anyMatch(h -> h.claim().equals(c.claim()) && h.lastToken() == state.lastToken());
          long ends = token + c.span() - 1;
          long last = wasLast ? ends : Math.max(state.lastToken(), ends);
          LockState next =
              new LockState(
                  holds ? last : state.lastToken(),
                  state.mark(),
                  state.markUntilMicros(),
                  holders,
                  state.queue(),
                  state.ended());
          return new Step<>(next, holds, List.of());
        });
  }

  private static LockState.Holder withToken(LockState.Holder h, long token) {
    return new LockState.Holder(
        h.claim(),
        h.permits(),
        token,
        h.span(),
        h.sinceMicros(),
        h.untilMicros(),
        h.label(),
        h.actor());
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    CompletionStage<List<RenewReply>> all = CompletableFuture.completedFuture(List.of());
    for (Command.Renew c : commands) {
      all =
          all.thenCombine(
              this.<RenewReply>run(c.name(), state -> LockMachine.renew(state, c, now())),
              (before, reply) -> Stream.concat(before.stream(), Stream.of(reply)).toList());
    }
    return all;
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release c) {
    return run(c.name(), state -> LockMachine.release(state, c, now()));
  }

  @Override
  public CompletionStage<CancelReply> takeBack(Command.Acquire c) {
    return cancel(new Command.Cancel(c.name(), c.claim(), false));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel c) {
    return run(c.name(), state -> LockMachine.cancel(state, c, now()));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict c) {
    return run(c.name(), state -> LockMachine.evict(state, c, now()));
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return CompletableFuture.completedFuture(now());
  }
}
