package dev.pawl.spi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The monotonic clock of this host in nanoseconds, with the time for which the host was suspended.
 * {@code nanoTime} stands still meanwhile on Linux, and a lease goes on in its store: without that
 * time a node would wake up and believe in what has long been granted to another (I2). The uptime
 * of the kernel counts it, and is looked at every few milliseconds in which somebody asks for the
 * time. Where there is no such file, this is {@code nanoTime}.
 *
 * <p>Some wait by it until another has lost what he had, so it must not be ahead either: a look at
 * which the thread stood still sees less, never more, and is made again.
 */
public final class HostClock implements LongSupplier {

  private static final Path UPTIME = Path.of("/proc/uptime");

  /** How long a look counts: so long a node may be wrong after the host has woken up. */
  private static final long LOOK_NANOS = 10_000_000;

  /** A look that took longer says too little about when it was. */
  private static final long LONGEST_LOOK_NANOS = 10_000_000;

  /** What is too short to be a suspension: the file has hundredths of a second. */
  private static final long NOISE_NANOS = 100_000_000;

  private final LongSupplier monotonic;
  private final Supplier<OptionalLong> uptime;
  private final boolean looks;

  /** How much further the uptime is than the monotonic clock, as far as one has seen. */
  private final AtomicLong ahead = new AtomicLong(Long.MIN_VALUE);

  private final AtomicLong suspended = new AtomicLong();
  private volatile long lookedNanos;

  /** Returns the clock of this host. */
  public HostClock() {
    this(System::nanoTime, HostClock::readUptime);
  }

  HostClock(LongSupplier monotonic, Supplier<OptionalLong> uptime) {
    this.monotonic = monotonic;
    this.uptime = uptime;
    this.looks = uptime.get().isPresent();
    this.lookedNanos = monotonic.getAsLong() - LOOK_NANOS;
  }

  @Override
  public long getAsLong() {
    if (looks && monotonic.getAsLong() - lookedNanos >= LOOK_NANOS) {
      look();
    }
    return monotonic.getAsLong() + suspended.get();
  }

  private void look() {
    long begun = monotonic.getAsLong();
    OptionalLong up = uptime.get();
    long done = monotonic.getAsLong();
    boolean exact = done - begun <= LONGEST_LOOK_NANOS;
    if (up.isPresent()) {
      long seen = up.getAsLong() - done;
      long before = ahead.get();
      if (before == Long.MIN_VALUE) {
        if (exact) { // What is missing here the next look would take for a suspension.
          ahead.compareAndSet(before, seen);
        }
      } else if (seen - before > NOISE_NANOS && ahead.compareAndSet(before, seen)) {
        suspended.addAndGet(seen - before);
      }
    }
    if (exact) {
      lookedNanos = done;
    }
  }

  private static OptionalLong readUptime() {
    try {
      String text = Files.readString(UPTIME, StandardCharsets.US_ASCII);
      double seconds = Double.parseDouble(text.substring(0, text.indexOf(' ')));
      return OptionalLong.of((long) (seconds * 1e9));
    } catch (IOException | RuntimeException e) {
      return OptionalLong.empty();
    }
  }
}
