package dev.pawl.degrade;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a grant of one of the stores: in the mode in which that store has the locks, it
 * is the pair's; while they return, it has to be taken in the other store as well.
 */
final class Granting {

  /** Who is told of it. */
  interface Sink {
    void granted(Grant grant, After after);

    /** It is not granted yet, and the claim waits. */
    void waits(Contention contention, After after);

    void done(long mark, After after);

    /** The claim is given up, and another one is to be made. */
    void ended(After after);

    void failed(Throwable error, After after);
  }

  /** A claim that is on its way to the primary for so long is sent again. */
  private static final long MOVE_NANOS = 1_000_000_000L;

  private final PairState state;

  /** Looks at the record once more. */
  private final Supplier<CompletionStage<?>> look;

  Granting(PairState state, Supplier<CompletionStage<?>> look) {
    this.state = state;
    this.look = look;
  }

  /** A sink that tells by a signal. */
  Sink bySignal(PairClaim claim) {
    return new Sink() {
      @Override
      public void granted(Grant grant, After after) {
        state.tell(claim, new Signal.Granted(claim.name, grant), after);
      }

      @Override
      public void waits(Contention contention, After after) {}

      @Override
      public void done(long mark, After after) {
        state.tell(claim, new Signal.Done(claim.name, claim.id, mark), after);
      }

      @Override
      public void ended(After after) {
        state.tell(claim, new Signal.Lost(claim.name, claim.id, "its token was too low"), after);
      }

      @Override
      public void failed(Throwable error, After after) {}
    };
  }

  /** A sink that answers an acquire. */
  Sink byReply(CompletableFuture<AcquireReply> reply) {
    return new Sink() {
      @Override
      public void granted(Grant grant, After after) {
        after.add(() -> reply.complete(new AcquireReply.Granted(grant)));
      }

      @Override
      public void waits(Contention contention, After after) {
        after.add(() -> reply.complete(new AcquireReply.Queued(contention)));
      }

      @Override
      public void done(long mark, After after) {
        after.add(() -> reply.complete(new AcquireReply.Done(mark)));
      }

      @Override
      public void ended(After after) {
        after.add(() -> reply.complete(new AcquireReply.Ended()));
      }

      @Override
      public void failed(Throwable error, After after) {
        after.add(() -> reply.completeExceptionally(error));
      }
    };
  }

  /** A store has granted a claim its name; the part is noted already. The lock is held. */
  void onGranted(PairClaim claim, boolean byPrimary, long baseNanos, Sink sink, After after) {
    ModeRecord seen = state.record();
    if (seen == null || claim.state == State.LOST || claim.state == State.ENDING) {
      sink.failed(changed(), after);
      return;
    }
    switch (seen.mode()) {
      case PRIMARY -> {
        if (byPrimary) {
          believe(claim, baseNanos, sink, after);
        } else {
          moveOn(claim, seen, sink, after);
        }
      }
      case BACKUP -> {
        if (byPrimary) {
          sink.failed(changed(), after);
        } else {
          believe(claim, baseNanos, sink, after);
        }
      }
      case RETURNING -> {
        if (claim.state == State.HELD) {
          believe(claim, baseNanos, sink, after);
        } else if (claim.backup.held) {
          takeBoth(claim, seen, sink, after);
        } else {
          sink.failed(changed(), after);
        }
      }
      case LEAVING -> sink.failed(changed(), after);
    }
  }

  static RuntimeException changed() {
    return new StoreUnavailableException("the mode of the pair has changed; ask again", null);
  }

  /** Counts on a grant from now on, if the node may. */
  private void believe(PairClaim claim, long baseNanos, Sink sink, After after) {
    ModeRecord seen = state.record();
    long now = state.now();
    if (seen == null
        || !state.isLeased(now)
        || !state.warden.standing().believes(claim.footing(), now)) {
      sink.failed(
          new OutcomeUnknownException(
              "granted, but the mode lease of the pair has ended: the backup has not answered",
              null),
          after);
      return;
    }
    if (claim.state == State.HELD) { // A copy of what was answered before.
      sink.granted(state.grant(claim, baseNanos), after);
      return;
    }
    Part part = claim.part(PairState.isPrimary(seen));
    long first = part.raw + seen.tokens().offset();
    long last = first + part.span - 1;
    if (first <= seen.tokens().floor()) {
      // It was taken in the primary before it was known where the primary's tokens are: a new
      // claim gets a higher one.
      claim.state = State.ENDING;
      state.forget(claim);
      state.drop(claim, true, after);
      state.drop(claim, false, after);
      sink.ended(after);
      return;
    }
    if (!seen.tokens().admits(first, last)) {
      state.want(last);
      state.park(() -> state.run(later -> again(claim, baseNanos, sink, later)));
      after.add(state::nudge);
      return;
    }
    Command.Acquire asked = claim.asked;
    if (asked != null
        && asked.mark().isPresent()
        && !state.marks.isRead(claim.name, seen.epoch(), asked.mark().getAsLong())) {
      after.add(() -> readMark(claim, asked, seen.epoch(), baseNanos, sink));
      return;
    }
    claim.state = State.HELD;
    claim.pending.clear();
    claim.token = first;
    claim.span = part.span;
    sink.granted(state.grant(claim, baseNanos), after);
  }

  /** The record has changed, or time has passed: once more, if it still stands. */
  private void again(PairClaim claim, long baseNanos, Sink sink, After after) {
    ModeRecord seen = state.record();
    boolean gone = state.claim(claim.id) != claim || claim.state == State.ENDING;
    if (gone || seen == null || !claim.footing().stands(seen)) {
      sink.failed(changed(), after);
    } else {
      onGranted(claim, claim.primary.held, baseNanos, sink, after);
    }
  }

  /** The first grant for a mark in an epoch: an earlier epoch may have reached it. */
  private void readMark(
      PairClaim claim, Command.Acquire asked, long epoch, long baseNanos, Sink sink) {
    long mark = asked.mark().orElseThrow();
    var unused =
        state
            .marks
            .read(claim.name, epoch)
            .whenComplete(
                (reached, error) ->
                    state.run(
                        after -> {
                          if (error != null) {
                            sink.failed(error, after);
                          } else if (reached.isPresent() && reached.getAsLong() >= mark) {
                            claim.state = State.ENDING;
                            state.forget(claim);
                            state.drop(claim, true, after);
                            state.drop(claim, false, after);
                            sink.done(reached.getAsLong(), after);
                          } else {
                            again(claim, baseNanos, sink, after);
                          }
                        }));
  }

  // While the locks return.

  /** Takes a name that the backup has granted in the primary as well, and looks at the record. */
  private void takeBoth(PairClaim claim, ModeRecord seen, Sink sink, After after) {
    Command.Acquire asked = claim.asked;
    if (asked == null) {
      sink.failed(changed(), after);
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
        && state.claim(claim.id) == claim
        && claim.state == State.WAITING
        && claim.footing().stands(seen)) {
      takeBoth(claim, seen, bySignal(claim), after);
    }
  }

  private void onPrimary(
      PairClaim claim,
      long names,
      long sent,
      @Nullable AcquireReply reply,
      @Nullable Throwable error,
      Sink sink) {
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
                  && state.claim(claim.id) == claim
                  && claim.state != State.ENDING
                  && claim.state != State.LOST;
          if (!current) {
            if (reply instanceof AcquireReply.Granted) {
              after.add(() -> state.cancel(true, names, claim.name, claim.id));
            }
            sink.failed(changed(), after);
          } else if (reply instanceof AcquireReply.Granted granted) {
            claim.primary.onGrant(granted.grant(), sent);
            after.add(() -> lookAgain(claim, sink));
          } else if (reply instanceof AcquireReply.Busy busy) {
            // Who had it before is about to give it back there, too.
            claim.state = State.WAITING;
            sink.waits(
                Commands.contention(busy.contention(), state.clock.micros(state.now())), after);
            state.park(() -> state.run(later -> takeBothLater(claim, later)));
          } else {
            sink.failed(error == null ? changed() : error, after);
          }
        });
  }

  /**
   * Only an answer that was asked for after both grants shows that nobody had the name in between
   * with a token of the primary.
   */
  private void lookAgain(PairClaim claim, Sink sink) {
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
                                  && state.claim(claim.id) == claim
                                  && claim.state != State.ENDING
                                  && claim.state != State.LOST;
                          if (both && seen.mode() != Mode.LEAVING) {
                            believe(claim, state.now(), sink, after);
                          } else {
                            sink.failed(changed(), after);
                          }
                        }));
  }

  // After the locks have returned.

  /** Sends a claim that waited in the backup on to the primary, and lets the next one through. */
  private void moveOn(PairClaim claim, ModeRecord seen, Sink sink, After after) {
    Command.Acquire asked = claim.asked;
    long names = seen.primaryNames();
    long sent = state.now();
    if (claim.primary.held && claim.primary.names == names) {
      state.drop(claim, false, after);
      believe(claim, sent, sink, after);
      return;
    }
    if (asked == null || (claim.upgrading && sent - claim.upgradeNanos < MOVE_NANOS)) {
      sink.failed(changed(), after);
      return;
    }
    claim.upgrading = true;
    claim.upgradeNanos = sent;
    claim.primary.names = names;
    after.add(
        () -> {
          var unused =
              state
                  .primary
                  .call(store -> store.acquire(Commands.acquire(asked, names, asked.queue())))
                  .whenComplete((reply, error) -> onMoved(claim, names, sent, reply, sink));
        });
  }

  private void onMoved(
      PairClaim claim, long names, long sent, @Nullable AcquireReply reply, Sink sink) {
    state.run(
        after -> {
          claim.upgrading = false;
          ModeRecord seen = state.record();
          boolean current =
              seen != null
                  && PairState.isPrimary(seen)
                  && seen.primaryNames() == names
                  && state.claim(claim.id) == claim
                  && claim.state != State.ENDING;
          if (!current) {
            sink.failed(changed(), after);
          } else if (reply instanceof AcquireReply.Granted granted) {
            state.primary.onClock(sent, granted.grant().nowMicros());
            state.drop(claim, false, after);
            claim.primary.onGrant(granted.grant(), sent);
            believe(claim, sent, sink, after);
          } else if (reply instanceof AcquireReply.Queued queued) {
            state.primary.onClock(sent, queued.contention().nowMicros());
            state.drop(claim, false, after);
            claim.state = State.WAITING;
            sink.waits(Commands.contention(queued.contention(), state.clock.micros(sent)), after);
          } else {
            // It is asked for again with the next heartbeat.
            sink.failed(changed(), after);
          }
        });
  }
}
