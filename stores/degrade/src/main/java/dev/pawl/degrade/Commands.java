package dev.pawl.degrade;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;

/** Commands and replies, brought from the pair's names, tokens and clock to a store's, and back. */
final class Commands {

  private Commands() {}

  static Command.Acquire acquire(Command.Acquire c, long names, boolean queue) {
    return new Command.Acquire(
        StoredNames.of(names, c.name()),
        c.claim(),
        c.permits(),
        c.capacity(),
        c.leaseMicros(),
        c.span(),
        c.mark(),
        queue,
        c.fair(),
        c.label(),
        c.actor());
  }

  /** A claim that is held already, as it is asked for in the other store. */
  static Command.Acquire upgrade(Command.Acquire c, long names, int permits, long leaseMicros) {
    return new Command.Acquire(
        StoredNames.of(names, c.name()),
        c.claim(),
        permits,
        Math.max(permits, c.capacity()),
        Math.max(1, leaseMicros),
        c.span(),
        OptionalLong.empty(),
        false,
        c.fair(),
        c.label(),
        c.actor());
  }

  static Command.Renew renew(Command.Renew c, long names) {
    return new Command.Renew(
        StoredNames.of(names, c.name()), c.claim(), c.permits(), c.leaseMicros(), c.actor());
  }

  static Command.Release release(Command.Release c, long names, long usedRaw) {
    return new Command.Release(
        StoredNames.of(names, c.name()), c.claim(), usedRaw, c.mark(), c.keepMicros(), c.late());
  }

  static Command.Cancel cancel(Command.Cancel c, long names) {
    return new Command.Cancel(StoredNames.of(names, c.name()), c.claim(), c.late());
  }

  /** Moves the times of a contention to another clock. */
  static Contention contention(Contention seen, long nowMicros) {
    long shift = nowMicros - seen.nowMicros();
    return new Contention(
        seen.holder(),
        seen.sinceMicros() == 0 ? 0 : seen.sinceMicros() + shift,
        seen.untilMicros() == 0 ? 0 : seen.untilMicros() + shift,
        seen.holders(),
        seen.ahead(),
        nowMicros);
  }

  static AcquireReply refusal(AcquireReply reply, long nowMicros) {
    if (reply instanceof AcquireReply.Queued queued) {
      return new AcquireReply.Queued(contention(queued.contention(), nowMicros));
    }
    if (reply instanceof AcquireReply.Busy busy) {
      return new AcquireReply.Busy(contention(busy.contention(), nowMicros));
    }
    return reply;
  }

  static LockInfo info(LockInfo info, String name, long offset, long shiftMicros) {
    return new LockInfo(
        name,
        info.token() + offset,
        info.mark(),
        info.holders().stream()
            .map(
                h ->
                    new LockInfo.Holder(
                        h.claim(),
                        h.label(),
                        h.actor(),
                        h.exclusive(),
                        h.permits(),
                        h.token() + offset,
                        h.since().plus(shiftMicros, ChronoUnit.MICROS),
                        h.left()))
            .toList(),
        info.waiters().stream()
            .map(
                w ->
                    new LockInfo.Waiter(
                        w.claim(),
                        w.label(),
                        w.actor(),
                        w.exclusive(),
                        w.permits(),
                        w.since().plus(shiftMicros, ChronoUnit.MICROS)))
            .toList());
  }
}
