package dev.pawl.cli.run;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Screen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** One run of a program under a lease, from its start to the end of its process group. */
final class GuardedRun {

  /** What a command gets to tidy up whose lock was taken away: another may be running already. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  /** How long processes in the background may take to end before it is said who is waited for. */
  private static final long REMARK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often a leash may end before it is ready; each time of another signal. */
  private static final int MOST_LEASHES = 5;

  private static final long SHORTEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Also where the lease is long: one that was granted by a signal is short at first. */
  private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Program program;
  private final Duration lease;
  private final Background background;
  private final Signals signals;
  private final Screen screen;
  private final RunReport report;
  private final long lookNanos;
  private final CountDownLatch over = new CountDownLatch(1);

  /** Whether the command is ended for its lease: because it was lost, or by the leash. */
  private volatile boolean lost;

  private volatile boolean stopped;

  /** Whether what the leash sends is for processes in the background, and not for the lease. */
  private volatile boolean clearing;

  /** Whether the leash has gone before the command. */
  private boolean leashless;

  GuardedRun(
      Program program,
      Duration lease,
      Background background,
      Signals signals,
      Screen screen,
      RunReport report) {
    this.program = program;
    this.lease = lease;
    this.background = background;
    this.signals = signals;
    this.screen = screen;
    this.report = report;
    this.lookNanos =
        Math.max(SHORTEST_LOOK_NANOS, Math.min(LONGEST_LOOK_NANOS, lease.toNanos() / 20));
  }

  /**
   * Starts the program and waits for its end.
   *
   * @param remaining how long the lease lasts from now; zero if it is lost
   */
  Ended call(Map<String, String> variables, Supplier<Duration> remaining) {
    try {
      report.onStart(variables);
      Ended ended = start(variables, remaining);
      report.onEnd(ended);
      return ended;
    } finally {
      over.countDown();
    }
  }

  /**
   * Waits until the program has ended. A lease that is lost has been told when this returns: a pair
   * of stores grants the name elsewhere no sooner.
   */
  void awaitEnd() {
    try {
      over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Ended start(Map<String, String> variables, Supplier<Duration> remaining) {
    // Before the leash is started, which belongs to our group for a moment.
    boolean onTerminal = Foreground.isOursAlone();
    try (Leash leash = startLeash()) {
      if (signals.hasCome()) {
        return new Ended(Ended.How.NOT_STARTED, signals.code());
      }
      if (!leash.follow(remaining)) {
        leash.end();
        return new Ended(Ended.How.LOST, ExitCode.LEASE_LOST);
      }
      Map<String, String> all = new HashMap<>(variables);
      all.putAll(leash.variables());
      Process process;
      try {
        process = onTerminal ? program.startOnTerminal(all, leash.pid()) : program.start(all);
      } catch (RuntimeException e) {
        leash.end();
        throw e;
      }
      if (!onTerminal) {
        leash.tie(process.pid());
      }
      signals.passTo(leash::signal);
      ProcessGroup group = onTerminal ? leash.awaitGroup(process) : new ProcessGroup(process.pid());
      try {
        await(process, group, leash, remaining);
        leash.end();
        return lost || stopped
            ? new Ended(Ended.How.LOST, ExitCode.LEASE_LOST)
            : new Ended(Ended.How.RAN, process.exitValue());
      } finally {
        // Where the leash is gone; or it sent TERM as the leader ended, whose children may stay.
        if (process.isAlive() || (stopped && group.isAlive())) {
          process.destroyForcibly();
          group.kill();
        }
      }
    }
  }

  /** Starts a leash; once more, if it has ended of a signal that we are about to hear of. */
  private Leash startLeash() {
    for (int attempt = 1; ; attempt++) {
      Leash leash = new Leash(lease, this::onSent);
      if (leash.awaitReady(signals::hasCome) || signals.hasCome()) {
        return leash;
      }
      leash.close();
      if (attempt == MOST_LEASHES) {
        throw new UncheckedIOException(
            new IOException("bash, which is to end " + program.name() + " in time, ends at once"));
      }
    }
  }

  /** Waits for the end of the group. */
  private void await(
      Process process, ProcessGroup group, Leash leash, Supplier<Duration> remaining) {
    while (!hasEnded(process)) {
      look(group, leash, remaining);
    }
    if (background == Background.LEAVE && !lost && !stopped) {
      return;
    }
    long endedAt = System.nanoTime();
    boolean said = false;
    List<ProcessGroup.Member> left = group.members();
    if (!left.isEmpty() && background == Background.KILL && !lost) {
      clearing = true;
      leash.cut(GRACE);
    }
    while (!left.isEmpty()) {
      look(group, leash, remaining);
      if (!said && !clearing && !lost && System.nanoTime() - endedAt > REMARK_NANOS) {
        said = true;
        sayWhoIsLeft(left);
      }
      LockSupport.parkNanos(lookNanos);
      // A job's loss, or a signal that came before the leash: both are seen elsewhere.
      boolean unused = Thread.interrupted();
      left = group.members();
    }
  }

  /** Has the leash follow the lease, or ends the command if that is lost. */
  private void look(ProcessGroup group, Leash leash, Supplier<Duration> remaining) {
    if (!leash.isAlive()) {
      if (!leashless) {
        screen.complain(
            "the leash was killed, which ends the command before its lease expires; so "
                + program.name()
                + " was killed too");
      }
      leashless = true;
      lost = true;
      group.kill();
    } else if (!lost && !clearing && !leash.follow(remaining)) {
      lost = true;
      leash.cut(GRACE);
    }
  }

  private boolean hasEnded(Process process) {
    try {
      return process.waitFor(lookNanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // As above.
      return false;
    }
  }

  private void sayWhoIsLeft(List<ProcessGroup.Member> left) {
    screen.remark(
        program.name()
            + " has ended; the lock is kept while these run in the background: "
            + left.stream().map(ProcessGroup.Member::toString).collect(Collectors.joining(", "))
            + " (--background kill or leave changes that)");
  }

  private void onSent(String signal) {
    if (clearing) {
      return;
    }
    stopped = true;
    screen.complain(
        (lost ? "the lease is lost" : "the lease is about to expire and was not renewed")
            + ": sent "
            + signal
            + " to "
            + program.name());
  }
}
