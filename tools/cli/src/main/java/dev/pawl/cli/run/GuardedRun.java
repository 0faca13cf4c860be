package dev.pawl.cli.run;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Screen;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One run of a program under a lease, from its start to its end. */
final class GuardedRun {

  /** What a command gets to tidy up whose lock was taken away: another may be running already. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final long SHORTEST_LOOK_MILLIS = 20;
  private static final long LONGEST_LOOK_MILLIS = 250;

  private final Program program;
  private final Duration lease;
  private final Signals signals;
  private final Screen screen;
  private volatile boolean stopped;

  GuardedRun(Program program, Duration lease, Signals signals, Screen screen) {
    this.program = program;
    this.lease = lease;
    this.signals = signals;
    this.screen = screen;
  }

  /**
   * Starts the program and waits for its end.
   *
   * @param remaining how long the lease lasts from now; zero if it is lost
   * @return its exit code, or that of a lost lease if the program was ended for that
   */
  int call(Map<String, String> variables, Supplier<Duration> remaining) {
    try (Leash leash = new Leash(lease, this::onSent)) {
      Process process = program.start(variables);
      try {
        leash.tie(process.pid());
        leash.extend(remaining.get());
        signals.passTo(leash);
        boolean lost = await(process, leash, remaining);
        leash.end();
        return lost || stopped ? ExitCode.LEASE_LOST : process.exitValue();
      } finally {
        if (process.isAlive()) { // Only where the leash itself is gone.
          process.descendants().forEach(ProcessHandle::destroyForcibly);
          process.destroyForcibly();
        }
      }
    }
  }

  private boolean await(Process process, Leash leash, Supplier<Duration> remaining) {
    long look =
        Math.max(
            SHORTEST_LOOK_MILLIS, Math.min(LONGEST_LOOK_MILLIS, lease.dividedBy(20).toMillis()));
    boolean lost = false;
    while (!hasEnded(process, look)) {
      Duration left = remaining.get();
      if (!left.isZero()) {
        leash.extend(left);
      } else if (!lost) {
        lost = true;
        leash.cut(GRACE);
      }
    }
    return lost;
  }

  private static boolean hasEnded(Process process, long millis) {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // A job's loss, or a signal that came before the leash: both are seen elsewhere.
      return false;
    }
  }

  private void onSent(String signal) {
    stopped = true;
    screen.complain(
        "the lease "
            + (signal.equals("TERM") ? "is ending and was not renewed" : "is at its end")
            + ": sent "
            + signal
            + " to "
            + program.name());
  }
}
