package dev.pawl.cli.run;

import dev.pawl.cli.shell.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The clock that every process of the host can read and that goes on while the host is suspended:
 * {@code /proc/uptime}. It brings deadlines of our own clock, which stands still meanwhile, to that
 * one; rather too early than too late.
 */
final class BootClock {

  static final long NANOS_PER_TICK = 10_000_000;

  private static final Path UPTIME = Path.of("/proc/uptime");

  /** What lies between two readings of the same moment on a busy host. */
  private static final long NOISE_NANOS = 100_000_000;

  private static final int FIRST_READINGS = 3;

  private final LongSupplier bootTicks;
  private final LongSupplier nanoTime;

  /** How far it is ahead of ours: too little by what lay between the two readings. */
  private long aheadNanos = Long.MIN_VALUE;

  /** The same, as it was before the host was last suspended. */
  private long formerlyAheadNanos;

  private long wakeNoticedNanos;

  BootClock() {
    this(BootClock::readUptime, System::nanoTime);
  }

  BootClock(LongSupplier bootTicks, LongSupplier nanoTime) {
    this.bootTicks = bootTicks;
    this.nanoTime = nanoTime;
    for (int i = 0; i < FIRST_READINGS; i++) {
      aheadNanos = Math.max(aheadNanos, read());
    }
    formerlyAheadNanos = aheadNanos;
    wakeNoticedNanos = nanoTime.getAsLong();
  }

  /** Returns what it shows, in hundredths of a second. */
  long ticks() {
    return bootTicks.getAsLong();
  }

  /** Notices whether the host has been suspended. */
  void look() {
    long ahead = read();
    if (ahead - aheadNanos > NOISE_NANOS) {
      formerlyAheadNanos = aheadNanos;
      wakeNoticedNanos = nanoTime.getAsLong();
    }
    aheadNanos = Math.max(aheadNanos, ahead);
  }

  /**
   * Returns what it will show at a moment of our clock.
   *
   * @param nanos the moment: the end of something
   * @param beginNanos since when that lasts. A suspension that was noticed later was part of it
   */
  long ticksAt(long nanos, long beginNanos) {
    boolean wasSuspended = beginNanos - wakeNoticedNanos < 0;
    long ahead = wasSuspended ? formerlyAheadNanos : aheadNanos;
    return Math.floorDiv(nanos + ahead, NANOS_PER_TICK);
  }

  private long read() {
    long boot = bootTicks.getAsLong() * NANOS_PER_TICK;
    return boot - nanoTime.getAsLong();
  }

  private static long readUptime() {
    try {
      String uptime = Files.readString(UPTIME).split(" ", 2)[0];
      return Long.parseLong(uptime.replace(".", ""));
    } catch (IOException | NumberFormatException e) {
      throw Refusal.usage("pawl run needs " + UPTIME + " to end a command in time: " + e);
    }
  }
}
