package dev.pawl.machine;

import static dev.pawl.machine.Violation.Rule.I5_IDEMPOTENCE;
import static dev.pawl.machine.Violation.Rule.REPLY;
import static dev.pawl.machine.Violation.unless;

import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import java.util.List;
import java.util.Optional;

/** The rules of replies: each says what became of the claim, and nothing else. */
final class Replies {

  private Replies() {}

  static void check(Expected expected, Command command, long now, Step<?> step) {
    Object right;
    if (command instanceof Command.Renew renew) {
      right = standing(step.state(), renew.claim(), now);
    } else if (command instanceof Command.Release) {
      right = expected.removedHolder.isPresent() ? ReleaseReply.RELEASED : ReleaseReply.GONE;
    } else if (command instanceof Command.Cancel) {
      right =
          expected.removedHolder.isPresent()
              ? CancelReply.WAS_GRANTED
              : expected.removedWaiter ? CancelReply.CANCELLED : CancelReply.GONE;
    } else if (command instanceof Command.Evict) {
      right =
          expected
              .removedHolder
              .<EvictReply>map(h -> new EvictReply.Evicted(h.claim(), h.label()))
              .orElseGet(EvictReply.Changed::new);
    } else if (command instanceof Command.Reset) {
      right = expected.wasReset ? ResetReply.RESET : ResetReply.CHANGED;
    } else {
      right = asked(expected, Invariants.asked(command), now, step.state());
    }
    unless(right.equals(step.reply()), REPLY, step.reply(), " instead of ", right);
  }

  /**
   * A second copy of an acquire, a yield or a renewal is answered as the first; others are late.
   */
  static void checkSecond(Object first, Object second) {
    Object right =
        first instanceof ReleaseReply
            ? ReleaseReply.GONE
            : first instanceof CancelReply
                ? CancelReply.GONE
                : first instanceof EvictReply
                    ? new EvictReply.Changed()
                    : first instanceof ResetReply ? ResetReply.CHANGED : first;
    unless(right.equals(second), I5_IDEMPOTENCE, "first ", first, ", then ", second);
  }

  private static AcquireReply asked(
      Expected expected, Command.Acquire command, long now, LockState after) {
    if (!expected.admitted) {
      return expected.isEnded(command.claim())
          ? new AcquireReply.Ended()
          : new AcquireReply.Done(expected.mark.orElseThrow());
    }
    RenewReply standing = standing(after, command.claim(), now);
    if (standing instanceof RenewReply.Held held) {
      return new AcquireReply.Granted(held.grant());
    } else if (standing instanceof RenewReply.Waiting waiting) {
      return new AcquireReply.Queued(waiting.contention());
    }
    return new AcquireReply.Busy(
        expected.looked && after.holders().isEmpty()
            ? new Contention("", now, now, 0, after.queue().size(), now)
            : contention(after, after.queue().size(), now));
  }

  private static RenewReply standing(LockState after, ClaimId claim, long now) {
    Optional<Holder> holder =
        after.holders().stream().filter(h -> h.claim().equals(claim)).findFirst();
    if (holder.isPresent()) {
      Holder h = holder.get();
      return new RenewReply.Held(new Grant(claim, h.token(), h.span(), h.untilMicros(), now));
    }
    int place = after.queue().stream().map(Waiter::claim).toList().indexOf(claim);
    return place < 0
        ? new RenewReply.Gone()
        : new RenewReply.Waiting(contention(after, place, now));
  }

  private static Contention contention(LockState after, int ahead, long now) {
    List<Holder> holders = after.holders();
    unless(!holders.isEmpty(), REPLY, "refused though nobody holds it");
    return new Contention(
        holders.get(0).label(),
        holders.get(0).sinceMicros(),
        holders.stream().mapToLong(Holder::untilMicros).min().orElseThrow(),
        holders.size(),
        ahead,
        now);
  }
}
