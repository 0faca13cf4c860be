package dev.pawl.testkit;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Stores that give out what they must not. */
final class BrokenGrants {

  private BrokenGrants() {}

  private static AcquireReply granted(Command.Acquire command, long token, long now) {
    return new AcquireReply.Granted(
        new Grant(command.claim(), token, command.span(), now + command.leaseMicros(), now));
  }

  private static Command.Acquire changed(
      Command.Acquire from, int capacity, boolean queue, boolean fair, long leaseMicros) {
    return new Command.Acquire(
        from.name(),
        from.claim(),
        from.permits(),
        capacity,
        leaseMicros,
        from.span(),
        from.mark(),
        queue,
        fair,
        from.label(),
        from.actor());
  }

  static final class GrantsEverybody extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      long now = clock.getAsLong();
      return super.acquire(command)
          .thenApply(
              reply ->
                  reply instanceof AcquireReply.Busy || reply instanceof AcquireReply.Queued
                      ? granted(command, now, now)
                      : reply);
    }
  }

  /** Looks whether the name is free, and takes it in a second step. */
  static final class LooksThenTakes extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      long now = clock.getAsLong();
      boolean free = living(state(command.name()), now).holders().isEmpty();
      if (!free || !command.exclusive()) {
        return super.acquire(command);
      }
      LockSupport.parkNanos(20_000_000); // Long enough for another to look, too, on busy cores.
      return CompletableFuture.completedFuture(
          turn(
              command,
              (state, acquire, at) ->
                  LockMachine.acquire(with(state, List.of(), state.queue()), acquire, at)));
    }
  }

  static final class GivesTheTokenOfAnExpiredHolderAgain extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      long now = clock.getAsLong();
      Optional<LockState.Holder> expired =
          state(command.name()).holders().stream()
              .filter(holder -> holder.untilMicros() <= now)
              .findFirst();
      return super.acquire(command)
          .thenApply(
              reply ->
                  reply instanceof AcquireReply.Granted && expired.isPresent()
                      ? granted(command, expired.get().token(), now)
                      : reply);
    }
  }

  /** Counts from one for each name, and forgets the count together with the name. */
  static final class CountsTokensInTheRow extends BendableStore {
    private final Map<String, Long> counts = new ConcurrentHashMap<>();

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      if (state(command.name()).equals(LockState.EMPTY)) {
        counts.remove(command.name());
      }
      return super.acquire(command)
          .thenApply(
              reply ->
                  reply instanceof AcquireReply.Granted granted
                      ? granted(
                          command,
                          counts.merge(command.name(), 1L, Long::sum),
                          granted.grant().nowMicros())
                      : reply);
    }
  }

  static final class ReservesNoSpan extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      long last = after.lastToken();
      for (LockState.Holder holder : after.holders()) {
        last = Math.min(last, holder.token());
      }
      return new LockState(
          last,
          after.mark(),
          after.markUntilMicros(),
          after.holders(),
          after.queue(),
          after.ended());
    }
  }

  static final class KeepsWhatWasNotUsedOfASpan extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return super.release(
          new Command.Release(
              command.name(), command.claim(), Long.MAX_VALUE, command.mark(), command.late()));
    }
  }

  /** A second try of a claim is one more claim to it. */
  static final class TakesARepeatedAcquireForANewOne extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      bend(
          command.name(),
          state ->
              with(
                  state,
                  state.holders().stream()
                      .filter(holder -> !holder.claim().equals(command.claim()))
                      .toList(),
                  state.queue()));
      return super.acquire(command);
    }
  }

  static final class AdmitsOneMore extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      int capacity = command.capacity();
      return super.acquire(
          capacity == Command.EVERYTHING
              ? command
              : changed(
                  command, capacity + 1, command.queue(), command.fair(), command.leaseMicros()));
    }
  }

  static final class HalvesLeases extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      long half = command.leaseMicros() / 2;
      return super.acquire(
              changed(command, command.capacity(), command.queue(), command.fair(), half))
          .thenApply(
              reply ->
                  reply instanceof AcquireReply.Granted granted
                      ? granted(command, granted.grant().token(), granted.grant().nowMicros())
                      : reply);
    }
  }

  /** Each node judges by the clock of its own machine; this one's is an hour ahead of the first. */
  static final class JudgesByTheClientsClock extends BendableStore {
    private int instances;

    @Override
    LockStore instance() {
      long aheadMicros = 3_600_000_000L * instances++;
      return new ForwardingStore(this) {
        @Override
        public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
          return CompletableFuture.completedFuture(
              turn(command, LockMachine::acquire, aheadMicros));
        }

        @Override
        public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
          List<RenewReply> replies = new ArrayList<>();
          for (Command.Renew command : commands) {
            replies.add(turn(command, LockMachine::renew, aheadMicros));
          }
          return CompletableFuture.completedFuture(replies);
        }
      };
    }
  }

  static final class BringsExpiredClaimsBack extends BendableStore {
    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      for (Command.Renew command : commands) {
        long until = clock.getAsLong() + command.leaseMicros();
        bend(command.name(), state -> extended(state, command.claim(), until));
      }
      return super.renew(commands);
    }

    private static LockState extended(LockState state, ClaimId claim, long until) {
      List<LockState.Holder> holders = new ArrayList<>();
      for (LockState.Holder holder : state.holders()) {
        holders.add(holder.claim().equals(claim) ? until(holder, until) : holder);
      }
      return with(state, holders, state.queue());
    }
  }

  static final class ShortensALeaseByALateRenewal extends BendableStore {
    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      for (Command.Renew command : commands) {
        bend(
            command.name(),
            state ->
                with(
                    state,
                    state.holders().stream()
                        .map(holder -> until(holder, Math.min(holder.untilMicros(), soon())))
                        .toList(),
                    state.queue()));
      }
      return super.renew(commands);
    }

    private long soon() {
      return clock.getAsLong() + 1_000_000;
    }
  }

  static final class EvictsWhoeverHoldsIt extends BendableStore {
    @Override
    public CompletionStage<EvictReply> evict(Command.Evict command) {
      return super.evict(
          state(command.name()).holders().stream()
              .findFirst()
              .map(holder -> new Command.Evict(command.name(), holder.token()))
              .orElse(command));
    }
  }

  /** A handler that takes every failure for "somebody else has it". */
  static final class SaysBusyWhenItCannotBeReached extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return isClosed()
          ? CompletableFuture.completedFuture(
              new AcquireReply.Busy(new Contention("", 0, 0, 0, 0, 0)))
          : super.acquire(command);
    }
  }

  static final class LeavesARefusedClaimInTheQueue extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return super.acquire(
              changed(command, command.capacity(), true, command.fair(), command.leaseMicros()))
          .thenApply(
              reply ->
                  !command.queue() && reply instanceof AcquireReply.Queued queued
                      ? new AcquireReply.Busy(queued.contention())
                      : reply);
    }
  }

  static final class LetsEverybodyOvertake extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return super.acquire(
          changed(command, command.capacity(), command.queue(), false, command.leaseMicros()));
    }
  }
}
