package dev.pawl.testkit;

import dev.pawl.LockInfo;
import dev.pawl.machine.LockState;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Stores that forget, confuse or keep what they must not. */
final class BrokenMemories {

  private BrokenMemories() {}

  static final class LetsMarksGoBack extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      CompletionStage<ReleaseReply> reply = super.release(command);
      if (command.mark().isPresent()) {
        bend(command.name(), state -> withMark(state, command.mark()));
      }
      return reply;
    }
  }

  static final class ForgetsMarks extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      return withMark(after, OptionalLong.empty());
    }
  }

  /** Cleans up what has been idle for a while, and does not think of marks. */
  static final class ForgetsTheMarksOfIdleNames extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      long now = clock.getAsLong();
      bend(
          command.name(),
          state ->
              state.lastToken() + 2_000_000 < now ? withMark(state, OptionalLong.empty()) : state);
      return super.acquire(command);
    }
  }

  /** Takes a mark that was asked for to be reached by whatever release. */
  static final class TakesAFailedRunForDone extends BendableStore {
    private final Map<ClaimId, OptionalLong> asked = new ConcurrentHashMap<>();

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      asked.put(command.claim(), command.mark());
      return super.acquire(command);
    }

    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return super.release(
          new Command.Release(
              command.name(),
              command.claim(),
              command.usedToken(),
              command.mark().isPresent()
                  ? command.mark()
                  : asked.getOrDefault(command.claim(), OptionalLong.empty()),
              command.late()));
    }
  }

  static final class ForgetsTheMarkOfAYield extends BendableStore {
    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
      return super.yieldGrant(new Command.Yield(withoutMark(command.release()), command.next()));
    }
  }

  /** Raises the mark, and then grants the next in line though its mark is reached by that. */
  static final class GrantsAWaiterWhoseMarkIsReached extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      boolean holds =
          state(command.name()).holders().stream()
              .anyMatch(holder -> holder.claim().equals(command.claim()));
      CompletionStage<ReleaseReply> reply = super.release(withoutMark(command));
      if (holds && command.mark().isPresent()) {
        long mark = command.mark().getAsLong();
        bend(
            command.name(),
            state -> withMark(state, OptionalLong.of(Math.max(mark, state.mark().orElse(mark)))));
      }
      return reply;
    }
  }

  static final class DismissesNobodyAloud extends BendableStore {
    @Override
    void deliver(String node, Signal signal) {
      if (!(signal instanceof Signal.Done)) {
        super.deliver(node, signal);
      }
    }
  }

  /** Dismisses whoever waits with a mark, also with a later one. */
  static final class DismissesThoseWhoWaitForLaterMarks extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      if (command.mark().isPresent()) {
        bend(
            command.name(),
            state ->
                with(
                    state,
                    state.holders(),
                    state.queue().stream().filter(waiter -> waiter.mark().isEmpty()).toList()));
      }
      return super.release(command);
    }
  }

  /** The time of day of whichever machine the node runs on; this one's is minutes ahead. */
  static final class ReadsTheClientsClock extends BendableStore {
    @Override
    public CompletionStage<Long> nowMicros() {
      return CompletableFuture.completedFuture(clock.getAsLong() + 180_000_000);
    }
  }

  static final class SetsBackWhateverMark extends BendableStore {
    @Override
    public CompletionStage<ResetReply> reset(Command.Reset command) {
      bend(command.name(), state -> withMark(state, OptionalLong.of(command.mark())));
      return super.reset(command);
    }
  }

  private static LockState withMark(LockState state, OptionalLong mark) {
    return new LockState(
        state.lastToken(),
        mark,
        Math.max(state.markUntilMicros(), state.lastToken() + Command.MIN_KEEP_MICROS),
        state.holders(),
        state.queue(),
        state.ended());
  }

  private static Command.Release withoutMark(Command.Release from) {
    return new Command.Release(
        from.name(), from.claim(), from.usedToken(), OptionalLong.empty(), from.late());
  }

  static final class RaisesTheMarkForAnybody extends BendableStore {
    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      CompletionStage<ReleaseReply> reply = super.release(command);
      bend(
          command.name(),
          state -> state.mark().isPresent() ? state : withMark(state, command.mark()));
      return reply;
    }
  }

  /** Compares names as a database does that nobody has told otherwise. */
  static final class ComparesNamesByCollation extends BendableStore {
    @Override
    String key(String name) {
      return name.toLowerCase(Locale.ROOT).stripTrailing();
    }
  }

  static final class CutsLongNames extends BendableStore {
    @Override
    String key(String name) {
      return name.substring(0, Math.min(64, name.length()));
    }
  }

  static final class TakesAPrefixForAPattern extends BendableStore {
    @Override
    public CompletionStage<List<LockInfo>> list(Listing listing) {
      String pattern =
          Pattern.quote(listing.prefix()).replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q");
      return CompletableFuture.completedFuture(
          listed(beginning -> Pattern.matches(pattern, beginning), listing));
    }
  }

  static final class CountsIdleNamesTowardsTheLimit extends BendableStore {
    @Override
    public CompletionStage<List<LockInfo>> list(Listing listing) {
      return super.list(Listing.all(listing.prefix(), listing.limit()))
          .thenApply(found -> found.stream().filter(listing::admits).toList());
    }
  }

  static final class NeverForgets extends BendableStore {
    @Override
    boolean canForget(LockState state, long now) {
      return false;
    }
  }

  /** Enters each instance somewhere, and takes none out. */
  static final class RemembersEveryInstance extends BendableStore {
    private final AtomicLong instances = new AtomicLong();

    @Override
    LockStore instance() {
      instances.incrementAndGet();
      return super.instance();
    }

    /** The two that a case may have open at its end are no fault. */
    @Override
    long leftovers() {
      return super.leftovers() + Math.max(0, instances.get() - 2);
    }
  }

  static final class ForgetsThatAClaimHasEnded extends BendableStore {
    @Override
    LockState kept(LockState before, LockState after, long now) {
      return new LockState(
          after.lastToken(),
          after.mark(),
          after.markUntilMicros(),
          after.holders(),
          after.queue(),
          List.of());
    }
  }
}
