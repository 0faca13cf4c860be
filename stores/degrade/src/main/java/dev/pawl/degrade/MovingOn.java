package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import org.jspecify.annotations.Nullable;

/**
 * After the locks have returned: claims that still wait in the backup go on to the primary, in
 * their order.
 */
final class MovingOn {

  /** A claim that is on its way to the primary for so long is sent again. */
  private static final long MOVE_NANOS = 1_000_000_000L;

  private final PairState state;
  private final Granting granting;

  MovingOn(PairState state, Granting granting) {
    this.state = state;
    this.granting = granting;
  }

  /** Sends a claim that waited in the backup on to the primary, and lets the next one through. */
  void moveOn(PairClaim claim, ModeRecord seen, GrantSink sink, After after) {
    Command.Acquire asked = claim.asked;
    long names = seen.primaryNames();
    long sent = state.now();
    if (claim.primary.held && claim.primary.names == names) {
      state.drop(claim, false, after);
      granting.believe(claim, sent, sink, after);
      return;
    }
    if (asked == null || (claim.upgrading && sent - claim.upgradeNanos < MOVE_NANOS)) {
      sink.failed(Granting.changed(), after);
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
      PairClaim claim, long names, long sent, @Nullable AcquireReply reply, GrantSink sink) {
    state.run(
        after -> {
          claim.upgrading = false;
          ModeRecord seen = state.record();
          boolean current =
              seen != null
                  && PairState.isPrimary(seen)
                  && seen.primaryNames() == names
                  && state.claims.has(claim)
                  && claim.state != State.ENDING;
          if (!current) {
            sink.failed(Granting.changed(), after);
          } else if (reply instanceof AcquireReply.Granted granted) {
            state.primary.onClock(sent, granted.grant().nowMicros());
            state.drop(claim, false, after);
            claim.primary.onGrant(granted.grant(), sent, state.now());
            granting.believe(claim, sent, sink, after);
          } else if (reply instanceof AcquireReply.Queued queued) {
            state.primary.onClock(sent, queued.contention().nowMicros());
            state.drop(claim, false, after);
            claim.state = State.WAITING;
            sink.waits(Commands.contention(queued.contention(), state.clock.micros(sent)), after);
          } else if (reply instanceof AcquireReply.Done done) {
            state.giveUp(claim, after); // So that the next one is let through.
            sink.done(done.mark(), after);
          } else if (reply instanceof AcquireReply.Ended) {
            state.giveUp(claim, after);
            sink.ended(after);
          } else {
            // It is asked for again with the next heartbeat.
            sink.failed(Granting.changed(), after);
          }
        });
  }
}
