package dev.pawl.cli.run;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** A run for a tick, unless another host has done it or does it. */
final class JobTurn {

  /** A last tick that is further ahead of the store's clock looks like a mistake. */
  private static final Duration AHEAD = Duration.ofMinutes(1);

  private final Pawl pawl;
  private final String name;
  private final Job job;
  private final Duration lease;
  private final GuardedRun run;

  /** WAITING to RUNNING or GIVEN_UP, once. */
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

  /**
   * Whether the lease was lost before the command was started, so that the tick is asked for again.
   */
  private final AtomicBoolean expired = new AtomicBoolean();

  /** What was asked of the job last. */
  private volatile CompletableFuture<?> asked = CompletableFuture.completedFuture(null);

  /** The exit code of a command that left its tick to another host. */
  private volatile OptionalInt leftWith = OptionalInt.empty();

  private final CompletableFuture<Integer> end = new CompletableFuture<>();

  private enum Phase {
    WAITING,
    RUNNING,
    GIVEN_UP
  }

  JobTurn(Pawl pawl, String name, LockOptions options, GuardedRun run) {
    this.pawl = pawl;
    this.name = name;
    this.job = pawl.job(name, options);
    this.lease = options.lease();
    this.run = run;
  }

  /**
   * Runs the command, or stands by for that long while another host does.
   *
   * @throws NotRun if it was not run here
   */
  int call(Job.Tick tick, Optional<Duration> patience) throws InterruptedException {
    boolean noWait = patience.isPresent() && patience.get().isZero();
    var unused =
        ask(tick, noWait)
            .whenComplete(
                (code, error) -> {
                  if (error == null) {
                    end.complete(code);
                  } else {
                    end.completeExceptionally(error);
                  }
                });
    return await(noWait ? Optional.empty() : patience);
  }

  private CompletableFuture<Integer> ask(Job.Tick tick, boolean noWait) {
    Job.Body<Integer> body = this::body;
    CompletableFuture<Job.Outcome<Integer>> outcome =
        noWait
            ? CompletableFuture.supplyAsync(() -> job.run(tick, body), JobTurn::onThread)
            : job.runOrStandBy(tick, body);
    asked = outcome;
    return outcome.thenCompose(
        how ->
            expired.getAndSet(false) && phase.get() == Phase.WAITING
                ? ask(tick, noWait)
                : CompletableFuture.completedFuture(code(how)));
  }

  private int await(Optional<Duration> patience) throws InterruptedException {
    try {
      return patience.isPresent()
          ? end.get(patience.get().toNanos(), TimeUnit.NANOSECONDS)
          : end.get();
    } catch (TimeoutException e) {
      if (phase.compareAndSet(Phase.WAITING, Phase.GIVEN_UP)) {
        asked.cancel(false);
        throw elsewhere();
      }
      return await(Optional.empty());
    } catch (InterruptedException e) {
      if (phase.compareAndSet(Phase.WAITING, Phase.GIVEN_UP)) {
        asked.cancel(false);
        throw e;
      }
      return await(Optional.empty());
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof CompletionException wrapped && wrapped.getCause() != null) {
        cause = wrapped.getCause();
      }
      throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
  }

  private Integer body(Job.Run jobRun) throws Exception {
    if (!isWhole(jobRun)) {
      expired.set(true);
      jobRun.leave("its lease expired before the command was started");
      return ExitCode.BUSY;
    }
    if (!phase.compareAndSet(Phase.WAITING, Phase.RUNNING)) {
      jobRun.leave("whoever asked for it had given up");
      return ExitCode.BUSY;
    }
    jobRun.onLost(run::awaitEnd);
    Ended ended =
        run.call(
            Map.of(
                "PAWL_NAME", name,
                "PAWL_TOKEN", Long.toString(jobRun.token()),
                "PAWL_NODE", pawl.label(),
                "PAWL_TICK", jobRun.tick().toString()),
            jobRun::remaining);
    int code = ended.code();
    if (ended.how() != Ended.How.RAN) {
      jobRun.leave(
          ended.how() == Ended.How.LOST
              ? "the command was ended before its lease"
              : "a signal came before the command was started");
      leftWith = OptionalInt.of(code);
      if (ended.how() == Ended.How.LOST) {
        end.complete(code); // The store may not answer for long.
      }
    } else if (code != ExitCode.OK) {
      throw new CommandFailed(code);
    }
    return code;
  }

  private boolean isWhole(Job.Run jobRun) {
    try {
      return Hold.of(jobRun).isWhole(lease);
    } catch (InterruptedException e) {
      return false; // By the loss of its lease.
    }
  }

  private static void onThread(Runnable task) {
    Thread thread = new Thread(task, "pawl-run");
    thread.setDaemon(true);
    thread.start();
  }

  private int code(Job.Outcome<Integer> outcome) {
    if (outcome instanceof Job.Outcome.Ran<Integer> ran) {
      return ran.result();
    }
    if (outcome instanceof Job.Outcome.AlreadyDone<Integer> done) {
      throw new NotRun("job \"" + name + "\" not run: " + why(done));
    }
    if (outcome instanceof Job.Outcome.Paused<Integer> paused) {
      throw new NotRun(
          "job \"%s\" not run: it is paused by %s since %s: %s"
              .formatted(name, paused.by(), paused.since(), paused.reason()));
    }
    OptionalInt left = leftWith;
    if (left.isPresent()) {
      return left.getAsInt();
    }
    if (outcome instanceof Job.Outcome.RunningElsewhere<Integer> elsewhere) {
      throw running(elsewhere.by(), elsewhere.since());
    }
    Exception error = ((Job.Outcome.Failed<Integer>) outcome).error();
    if (error instanceof CommandFailed failed) {
      return failed.code();
    }
    throw error instanceof RuntimeException failure ? failure : new IllegalStateException(error);
  }

  private String why(Job.Outcome.AlreadyDone<Integer> done) {
    if (done.latest().isAfter(storeTime().plus(AHEAD))) {
      return "its ticks until "
          + done.latest()
          + " count as done, which is ahead of the store's clock; if that is a mistake: pawl jobs"
          + " reset "
          + name;
    }
    boolean failed = done.ending().filter(how -> how == PastRun.Ending.FAILED).isPresent();
    return (failed ? "its tick was run, and failed" : "its tick is done")
        + by(done.by())
        + at(done.at(), "at");
  }

  private Instant storeTime() {
    long micros = ((LockStore) pawl.store()).nowMicros().toCompletableFuture().join();
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Says who runs it, as far as the store can tell. */
  private NotRun elsewhere() {
    Optional<LockInfo.Holder> holder =
        pawl.inspector()
            .find(Job.PREFIX + name)
            .flatMap(info -> info.holders().stream().findFirst());
    return running(holder.map(LockInfo.Holder::label), holder.map(LockInfo.Holder::since));
  }

  private NotRun running(Optional<String> by, Optional<Instant> since) {
    return new NotRun(
        "job \"" + name + "\" not run: it is running elsewhere" + by(by) + at(since, "since"));
  }

  private static String by(Optional<String> label) {
    return label.map(node -> ", by " + node).orElse("");
  }

  private static String at(Optional<Instant> time, String word) {
    return time.map(moment -> " " + word + " " + moment).orElse("");
  }

  /** The end of a command that says that it failed; the journal shows the message. */
  @SuppressWarnings("OverrideThrowableToString") // Its class says nothing to those who read it.
  private static final class CommandFailed extends Exception {

    private static final long serialVersionUID = 1L;

    private final int code;

    CommandFailed(int code) {
      super("exit status " + code, null, false, false);
      this.code = code;
    }

    @Override
    public String toString() {
      return String.valueOf(getMessage());
    }

    int code() {
      return code;
    }
  }
}
