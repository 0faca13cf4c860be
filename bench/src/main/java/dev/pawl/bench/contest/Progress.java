package dev.pawl.bench.contest;

import java.io.PrintStream;
import java.time.Duration;

/** How far a contest is, and about how long it will still take; for people, line by line. */
final class Progress {

  private final PrintStream out;
  private final long startNanos = System.nanoTime();
  private final Duration planned;
  private Duration done = Duration.ZERO;

  /** Begins; {@code planned} is what all steps take, as far as that is known. */
  Progress(PrintStream out, Duration planned) {
    this.out = out;
    this.planned = planned;
  }

  /** A step that was planned to take so long is done. */
  void advance(Duration step) {
    done = done.plus(step);
  }

  /** Says what comes now. */
  void say(String what) {
    out.println("bench: " + what + left());
  }

  private String left() {
    double part = done.toNanos() / (double) Math.max(1, planned.toNanos());
    if (part < 0.05) {
      return ", " + seconds(planned.minus(done)) + " or more left";
    }
    double elapsed = System.nanoTime() - startNanos;
    return ", about " + seconds(Duration.ofNanos((long) (elapsed / part * (1 - part)))) + " left";
  }

  private static String seconds(Duration duration) {
    long seconds = Math.max(0, duration.toSeconds());
    return seconds < 100 ? seconds + " s" : (seconds + 30) / 60 + " min";
  }
}
