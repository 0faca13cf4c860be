package dev.pawl.testkit;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Stores whose waiters, owners and signals get mixed up. */
final class BrokenQueues {

  private static final long A_DAY = 24L * 3_600_000_000L;

  private BrokenQueues() {}

  static final class ReleasesForAnybody extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return super.release(
          state(command.name()).holders().stream()
              .findFirst()
              .map(
                  holder ->
                      new Command.Release(
                          command.name(),
                          holder.claim(),
                          command.usedToken(),
                          command.mark(),
                          command.late()))
              .orElse(command));
    }
  }

  static final class RenewsForAnybody extends BendableStore {
    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      for (Command.Renew command : commands) {
        long until = clock.getAsLong() + command.leaseMicros();
        bend(
            command.name(),
            state ->
                with(
                    state,
                    state.holders().stream().map(holder -> until(holder, until)).toList(),
                    state.queue()));
      }
      return super.renew(commands);
    }
  }

  static final class TellsNobody extends BendableStore {
    @Override
    void deliver(String node, Signal signal) {}
  }

  static final class TellsEverybodyWhoWaits extends BendableStore {
    @Override
    void deliver(String node, Signal signal) {
      super.deliver(node, signal);
      if (signal instanceof Signal.Granted granted) {
        for (LockState.Waiter waiter : state(granted.name()).queue()) {
          Grant grant = granted.grant();
          super.deliver(
              waiter.claim().node(),
              new Signal.Granted(
                  granted.name(),
                  new Grant(
                      waiter.claim(),
                      grant.token(),
                      grant.span(),
                      grant.untilMicros(),
                      grant.nowMicros())));
        }
      }
    }
  }

  /** Tells nobody, and whoever asks is told to go on waiting. */
  static final class LosesWakeUps extends BendableStore {
    private final Set<ClaimId> toldByAcquire = ConcurrentHashMap.newKeySet();

    @Override
    void deliver(String node, Signal signal) {}

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return super.acquire(command)
          .thenApply(
              reply -> {
                if (reply instanceof AcquireReply.Granted) {
                  toldByAcquire.add(command.claim());
                }
                return reply;
              });
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return super.renew(commands)
          .thenApply(replies -> replies.stream().map(this::withheld).toList());
    }

    private RenewReply withheld(RenewReply reply) {
      return reply instanceof RenewReply.Held held && !toldByAcquire.contains(held.grant().claim())
          ? new RenewReply.Waiting(new Contention("", 0, 0, 0, 0, held.grant().nowMicros()))
          : reply;
    }
  }

  /** Grants to the next in the queue for good, whether anybody is there or not. */
  static final class WaitsForDeadWaiters extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      List<LockState.Holder> holders = new ArrayList<>();
      for (LockState.Holder holder : after.holders()) {
        boolean waited =
            before.queue().stream().anyMatch(waiter -> waiter.claim().equals(holder.claim()));
        holders.add(waited ? until(holder, now + A_DAY) : holder);
      }
      return with(after, holders, after.queue());
    }
  }

  static final class KeepsDeadWaiters extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      return with(
          after,
          after.holders(),
          after.queue().stream()
              .map(
                  waiter ->
                      new LockState.Waiter(
                          waiter.claim(),
                          waiter.permits(),
                          waiter.capacity(),
                          waiter.leaseMicros(),
                          waiter.span(),
                          waiter.mark(),
                          waiter.fair(),
                          waiter.sinceMicros(),
                          now + A_DAY,
                          waiter.label(),
                          waiter.actor()))
              .toList());
    }
  }

  /** Believes a waiter alive for as long as it once was, whoever it keeps waiting. */
  static final class BidsNobodyShowLife extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      Map<ClaimId, LockState.Waiter> was = new HashMap<>();
      before.queue().forEach(waiter -> was.put(waiter.claim(), waiter));
      return with(
          after,
          after.holders(),
          after.queue().stream()
              .map(
                  waiter -> {
                    LockState.Waiter old = was.getOrDefault(waiter.claim(), waiter);
                    return old.isFar(now) ? old : waiter;
                  })
              .toList());
    }
  }

  static final class GrantsAfterACancel extends BendableStore {
    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      boolean waits =
          state(command.name()).queue().stream()
              .anyMatch(waiter -> waiter.claim().equals(command.claim()));
      return waits
          ? CompletableFuture.completedFuture(CancelReply.CANCELLED)
          : super.cancel(command);
    }
  }

  static final class KeepsAGrantThatWasCancelled extends BendableStore {
    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      boolean holds =
          state(command.name()).holders().stream()
              .anyMatch(holder -> holder.claim().equals(command.claim()));
      return holds ? CompletableFuture.completedFuture(CancelReply.GONE) : super.cancel(command);
    }
  }

  static final class DropsAWaiterForALateCopy extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      if (!command.queue()) {
        bend(
            command.name(),
            state ->
                with(
                    state,
                    state.holders(),
                    state.queue().stream()
                        .filter(waiter -> !waiter.claim().equals(command.claim()))
                        .toList()));
      }
      return super.acquire(command);
    }
  }

  static final class ServesTheLastFirst extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      bend(
          command.name(),
          state -> {
            List<LockState.Waiter> queue = new ArrayList<>(state.queue());
            Collections.reverse(queue);
            return with(state, state.holders(), queue);
          });
      return super.release(command);
    }
  }

  /** A queue in a value that has room for so many. */
  static final class CutsLongQueues extends BendableStore {
    private static final int ROOM = 16;

    @Override
    LockState kept(LockState before, LockState after, long now) {
      return after.queue().size() <= ROOM
          ? after
          : with(after, after.holders(), after.queue().subList(0, ROOM));
    }
  }

  /** One connection for the signals of all, which whoever is closed first takes along. */
  static final class ClosesTheSignalsOfOthers extends BendableStore {
    @Override
    LockStore instance() {
      return new ForwardingStore(this) {
        @Override
        public void close() {
          forgetListeners();
        }
      };
    }
  }

  static final class LetsAYieldKeepItsPlace extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
      return CompletableFuture.completedFuture(
          turn(
              command,
              (state, yielded, now) -> {
                Step<AcquireReply> step =
                    LockMachine.yieldGrant(with(state, state.holders(), List.of()), yielded, now);
                LockState after = step.state();
                return new Step<>(
                    with(after, after.holders(), state.queue()), step.reply(), step.signals());
              }));
    }
  }

  static final class MixesUpBatches extends BendableStore {
    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return super.renew(commands)
          .thenApply(
              replies -> {
                List<RenewReply> reversed = new ArrayList<>(replies);
                Collections.reverse(reversed);
                return reversed;
              });
    }
  }

  static final class PromisesAQueueItDoesNotHave extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return super.acquire(command)
          .thenApply(
              reply ->
                  reply instanceof AcquireReply.Queued queued
                      ? new AcquireReply.Busy(queued.contention())
                      : reply);
    }
  }
}
