package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * The tick that a call asks for, and the mark that the store must not have reached for it to be
 * granted. All in milliseconds.
 *
 * <h2>Ticks of a period</h2>
 *
 * Schedulers fire once a period on each node, at a phase of their own and not quite in time. Ticks
 * cut by the clock at fixed moments would be left out, and run twice in a row, wherever the
 * schedulers fire near such a moment. So the ticks follow the runs instead: the next one is a
 * period after the last that was done, which the store's mark tells.
 *
 * <ul>
 *   <li>A call is early enough for a tick up to a third of a period before it: whoever is in time
 *       give or take a tenth is never refused, though the tick itself was set by a call that was
 *       off by a tenth the other way, or moved to a whole period.
 *   <li>A tick is where it was, a whole number of periods after the last, as long as calls come
 *       within a fifth of it: so there is one for each period, however the calls jitter.
 *   <li>A call that comes later than that sets the tick anew: nobody fires at the old phase any
 *       more.
 *   <li>One that comes earlier moves the tick, by as much as clocks differ in their rate and no
 *       more: a scheduler whose clock is fast stays in the middle, and many nodes at many phases do
 *       not pull the ticks together.
 * </ul>
 *
 * A claim asks for one more than the mark that was read: it is granted only if nobody has done a
 * tick since. Decision 13.
 *
 * @param tick the tick that is reached by a run
 * @param claimed the mark that is claimed: not above the tick
 * @param done the last tick that is done, if it was asked for
 * @param isDue whether the tick is yet to be done
 * @param aheadMillis how far the last tick is ahead of the store's clock, if it was asked for
 */
record Due(long tick, long claimed, OptionalLong done, boolean isDue, long aheadMillis) {

  /** Schedulers' clocks differ from the store's by one in this many at the most. */
  private static final long SLEW = 5_000;

  /** Returns what to ask for on behalf of a time of a schedule. */
  static Due at(Job.Tick.At tick) {
    long mark = tick.time().toEpochMilli();
    return new Due(mark, mark, OptionalLong.empty(), true, 0);
  }

  /** Returns what to ask for on behalf of a period, given the store's mark and clock. */
  static Due of(Job.Tick.Every every, OptionalLong mark, long nowMillis) {
    long period = every.period().toMillis();
    if (mark.isEmpty()) {
      return new Due(anchor(nowMillis, period), 0, mark, true, 0);
    }
    long done = mark.getAsLong();
    long periods = Math.floorDiv(nowMillis - done + period / 3, period);
    if (periods < 1) {
      return new Due(done, done, mark, false, done - nowMillis);
    }
    long next = done + periods * period;
    if (nowMillis - next > period / 5) {
      next = Math.max(anchor(nowMillis, period), done + 1);
    } else if (next - nowMillis > period / 5) {
      next -= next / SLEW - done / SLEW;
    }
    return new Due(next, done + 1, mark, true, 0);
  }

  /** A first tick is now, or the whole period that is near: people like those. */
  private static long anchor(long now, long period) {
    long whole = (now + period / 2) / period * period;
    return Math.abs(now - whole) <= period / 10 ? whole : now;
  }

  /** Returns how many ticks lie between the last one done and this one. */
  static long between(long done, long tick, Duration period) {
    long millis = period.toMillis();
    return Math.max(0, (tick - done + millis / 3) / millis - 1);
  }

  /**
   * Returns how long a mark is kept: past the next tick of its schedule, as far as that is known.
   */
  static long keepMicros(Job.Tick tick) {
    return tick instanceof Job.Tick.Every every
        ? Math.max(Command.MIN_KEEP_MICROS, 2 * every.period().toMillis() * 1_000)
        : Command.MIN_KEEP_MICROS;
  }

  /** Tells whether two runs were for the same tick, though one of them set it anew. */
  static boolean isSame(Job.Tick tick, long one, long other) {
    return tick instanceof Job.Tick.Every every
        ? Math.abs(one - other) < every.period().toMillis() / 2
        : one == other;
  }
}
