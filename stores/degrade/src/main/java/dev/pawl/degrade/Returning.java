package dev.pawl.degrade;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * While the locks return: takes in the primary, too, what is held in the backup, and what the
 * backup grants meanwhile.
 */
final class Returning {

  /** How many claims are sent to the other store at a time. */
  private static final int MOST_UPGRADES = 64;

  private static final long UPGRADE_NANOS = 1_000_000_000L;

  private final PairState state;
  private final Granting granting;

  /** Looks at the record once more. */
  private final Supplier<CompletionStage<?>> look;

  Returning(PairState state, Granting granting, Supplier<CompletionStage<?>> look) {
    this.state = state;
    this.granting = granting;
    this.look = look;
  }

  // What is held.

  /** Takes in the primary, too, what is held in the backup while the locks return. */
  void moveHeld() {
    state.run(
        after -> {
          ModeRecord seen = state.record();
          if (seen == null || seen.mode() != Mode.RETURNING) {
            return;
          }
          long now = state.now();
          int begun = 0;
          for (PairClaim claim : state.claims.all()) {
            boolean due = !claim.upgrading || now - claim.upgradeNanos > UPGRADE_NANOS;
            if (claim.state == State.HELD
                && !claim.footing().isReady(seen)
                && due
                && begun < MOST_UPGRADES) {
              begun++;
              upgrade(claim, seen.primaryNames(), now, after);
            }
          }
        });
  }

  private void upgrade(PairClaim claim, long names, long now, After after) {
    Command.Acquire asked = claim.asked;
    if (asked == null) {
      return;
    }
    claim.upgrading = true;
    claim.upgradeNanos = now;
    claim.primary.names = names;
    long lease = Math.max(1_000_000, (claim.backup.untilNanos - now) / 1_000 + 1);
    Command.Acquire command = Commands.upgrade(asked, names, claim.permits, lease);
    after.add(
        () -> {
          var unused =
              state
                  .primary
                  .call(store -> store.acquire(command))
                  .whenComplete((reply, error) -> onUpgraded(claim, names, now, reply));
        });
  }

  private void onUpgraded(PairClaim claim, long names, long sent, @Nullable AcquireReply reply) {
    state.run(
        after -> {
          claim.upgrading = false;
          if (!(reply instanceof AcquireReply.Granted granted)) {
            return;
          }
          ModeRecord seen = state.record();
          boolean current =
              seen != null
                  && PairState.names(seen, true) == names
                  && state.claims.has(claim)
                  && claim.state == State.HELD
                  && claim.primary.names == names;
          if (!current) {
            after.add(() -> state.cancel(true, names, claim.name, claim.id));
          } else {
            state.primary.onClock(sent, granted.grant().nowMicros());
            claim.primary.onGrant(granted.grant(), sent, state.now());
            after.add(state::nudge);
          }
        });
  }

  // What is granted meanwhile.

  /** Takes a name that the backup has granted in the primary as well, and looks at the record. */
  void takeBoth(PairClaim claim, ModeRecord seen, GrantSink sink, After after) {
    Command.Acquire asked = claim.asked;
    if (asked == null) {
      sink.failed(Granting.changed(), after);
      return;
    }
    long names = seen.primaryNames();
    claim.primary.names = names;
    long sent = state.now();
    long lease = Math.max(asked.leaseMicros(), (claim.backup.untilNanos - sent) / 1_000);
    Command.Acquire command = Commands.upgrade(asked, names, claim.permits, lease);
    after.add(
        () -> {
          var unused =
              state
                  .primary
                  .call(store -> store.acquire(command))
                  .whenComplete(
                      (reply, error) -> onPrimary(claim, names, sent, reply, error, sink));
        });
  }

  private void takeBothLater(PairClaim claim, After after) {
    ModeRecord seen = state.record();
    if (seen != null
        && seen.mode() == Mode.RETURNING
        && state.claims.has(claim)
        && claim.state == State.WAITING
        && claim.footing().stands(seen)) {
      takeBoth(claim, seen, GrantSink.bySignal(state, claim), after);
    }
  }

  private void onPrimary(
      PairClaim claim,
      long names,
      long sent,
      @Nullable AcquireReply reply,
      @Nullable Throwable error,
      GrantSink sink) {
    state.run(
        after -> {
          ModeRecord seen = state.record();
          if (reply instanceof AcquireReply.Granted granted) {
            state.primary.onClock(sent, granted.grant().nowMicros());
          }
          boolean current =
              seen != null
                  && PairState.names(seen, true) == names
                  && claim.primary.names == names
                  && state.claims.has(claim)
                  && claim.state != State.ENDING
                  && claim.state != State.LOST;
          if (!current) {
            if (reply instanceof AcquireReply.Granted) {
              after.add(() -> state.cancel(true, names, claim.name, claim.id));
            }
            sink.failed(Granting.changed(), after);
          } else if (reply instanceof AcquireReply.Granted granted) {
            claim.primary.onGrant(granted.grant(), sent, state.now());
            after.add(() -> lookAgain(claim, sink));
          } else if (reply instanceof AcquireReply.Busy busy) {
            // Who had it before is about to give it back there, too.
            claim.state = State.WAITING;
            sink.waits(
                Commands.contention(busy.contention(), state.clock.micros(state.now())), after);
            state.park(() -> state.run(later -> takeBothLater(claim, later)));
          } else if (reply instanceof AcquireReply.Done done) {
            state.giveUp(claim, after);
            sink.done(done.mark(), after);
          } else if (reply instanceof AcquireReply.Ended) {
            state.giveUp(claim, after);
            sink.ended(after);
          } else {
            sink.failed(error == null ? Granting.changed() : error, after);
          }
        });
  }

  /**
   * Only an answer that was asked for after both grants shows that nobody had the name in between
   * with a token of the primary.
   */
  private void lookAgain(PairClaim claim, GrantSink sink) {
    var unused =
        look.get()
            .whenComplete(
                (read, error) ->
                    state.run(
                        after -> {
                          ModeRecord seen = state.record();
                          if (error != null || seen == null) {
                            sink.failed(
                                new OutcomeUnknownException(
                                    "granted, but the backup has not said that it still counts",
                                    error),
                                after);
                            return;
                          }
                          boolean both =
                              claim.footing().stands(seen)
                                  && claim.footing().isReady(seen)
                                  && state.claims.has(claim)
                                  && claim.state != State.ENDING
                                  && claim.state != State.LOST;
                          if (both && seen.mode() != Mode.LEAVING) {
                            granting.believe(claim, state.now(), sink, after);
                          } else {
                            sink.failed(Granting.changed(), after);
                          }
                        }));
  }
}
