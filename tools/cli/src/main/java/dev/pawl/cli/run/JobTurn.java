package dev.pawl.cli.run;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.ExitCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** A run for a tick, unless another host has done it or does it. */
final class JobTurn {

  private final Pawl pawl;
  private final String name;
  private final Job job;
  private final GuardedRun run;

  /** WAITING to RUNNING or GIVEN_UP, once. */
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

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
    this.run = run;
  }

  /**
   * Runs the command, or stands by for that long while another host does.
   *
   * @throws NotRun if it was not run here
   */
  int call(Job.Tick tick, Optional<Duration> patience) throws InterruptedException {
    boolean noWait = patience.isPresent() && patience.get().isZero();
    CompletableFuture<Job.Outcome<Integer>> outcome =
        noWait
            ? CompletableFuture.supplyAsync(() -> job.run(tick, this::body), JobTurn::onThread)
            : job.runOrStandBy(tick, this::body);
    var unused =
        outcome
            .thenApply(this::code)
            .whenComplete(
                (code, error) -> {
                  if (error == null) {
                    end.complete(code);
                  } else {
                    end.completeExceptionally(error);
                  }
                });
    return await(outcome, noWait ? Optional.empty() : patience);
  }

  private int await(CompletableFuture<?> outcome, Optional<Duration> patience)
      throws InterruptedException {
    try {
      return patience.isPresent()
          ? end.get(patience.get().toNanos(), TimeUnit.NANOSECONDS)
          : end.get();
    } catch (TimeoutException e) {
      if (phase.compareAndSet(Phase.WAITING, Phase.GIVEN_UP)) {
        outcome.cancel(false);
        throw elsewhere();
      }
      return await(outcome, Optional.empty());
    } catch (InterruptedException e) {
      if (phase.compareAndSet(Phase.WAITING, Phase.GIVEN_UP)) {
        outcome.cancel(false);
        throw e;
      }
      return await(outcome, Optional.empty());
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof CompletionException wrapped && wrapped.getCause() != null) {
        cause = wrapped.getCause();
      }
      throw cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }
  }

  private Integer body(Job.Run jobRun) throws Exception {
    if (!phase.compareAndSet(Phase.WAITING, Phase.RUNNING)) {
      awaitClose();
    }
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
      end.complete(code);
      awaitClose();
    }
    if (code != ExitCode.OK) {
      throw new CommandFailed(code);
    }
    return code;
  }

  /**
   * Waits for the end of the node, which gives the name back with the tick undone. Whatever a body
   * returned or threw would end the tick, and nobody would do it.
   */
  private static void awaitClose() throws InterruptedException {
    new CountDownLatch(1).await();
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
      throw new NotRun(
          "job \"" + name + "\" not run: its tick is done" + by(done.by()) + at(done.at(), "at"));
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
  private static final class CommandFailed extends Exception {

    private static final long serialVersionUID = 1L;

    private final int code;

    CommandFailed(int code) {
      super("exit status " + code);
      this.code = code;
    }

    int code() {
      return code;
    }
  }
}
