package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Calls;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A call for a tick that waits, without a thread, until the tick is done or its own to run. */
final class StandBy<T extends @Nullable Object> {

  private final Engine engine;
  private final Calls calls;
  private final NodeJob job;
  private final Job.Tick tick;
  private final Job.Body<T> body;
  private final CompletableFuture<Job.Outcome<T>> result = new CompletableFuture<>();

  StandBy(Engine engine, NodeJob job, Job.Tick tick, Job.Body<T> body) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.job = job;
    this.tick = tick;
    this.body = body;
  }

  CompletableFuture<Job.Outcome<T>> result() {
    return result;
  }

  void start() {
    engine
        .link()
        .whenDone(
            job.due(tick, false),
            (due, error) -> {
              if (due == null) {
                fail(error == null ? new IllegalStateException("no time") : error);
              } else if (!due.isDue()) {
                lookForPermit(new Asked(job.name(), due, tick, true, due.tick()));
              } else if (!result.isDone()) {
                waitFor(new Asked(job.name(), due, tick, false, due.tick()), job.request(due));
              }
            });
  }

  /** The tick is done; an operator may have permitted it to be run once more. */
  private void lookForPermit(Asked again) {
    engine
        .link()
        .whenDone(
            job.gate().mayRunAgain(again, false),
            (permitted, error) -> {
              if (permitted == null || !permitted) {
                // It reads the journal, and this may be the thread of the timers.
                onThread(() -> settle(job.notRun().done(again)), this::fail);
              } else if (!result.isDone()) {
                waitFor(again, job.requestAgain());
              }
            });
  }

  private void waitFor(Asked asked, Request request) {
    Caller caller = new Caller(request, null, false, engine.now(), Caller.NO_DEADLINE);
    AtomicBoolean decided = new AtomicBoolean();
    engine
        .link()
        .whenDone(
            caller.outcome,
            (outcome, error) -> {
              if (outcome instanceof CallResult.Failed failed) {
                fail(calls.failure(caller, failed));
              } else if (outcome instanceof CallResult.Held held) {
                askWhetherToRun(held.lease(), asked, decided);
              } else if (outcome != null && decided.compareAndSet(false, true)) {
                onNotGranted(outcome, asked);
              }
            });
    engine.start(caller, false);
    engine
        .link()
        .whenDone(
            result,
            (ended, error) -> {
              // By a cancel or a timeout of the user's: ours come when it is decided.
              if (decided.compareAndSet(false, true)) {
                calls.giveUp(caller);
              }
            });
  }

  private void onNotGranted(CallResult outcome, Asked asked) {
    if (NodeJob.isToBeAskedAgain(outcome, tick)) {
      start();
    } else if (outcome instanceof CallResult.Done done) {
      lookForPermit(new Asked(job.name(), asked.due(), tick, true, done.mark()));
    } else {
      settle(job.notRun().refused((CallResult.Refused) outcome, asked));
    }
  }

  /**
   * Runs the body unless operators have decided otherwise. The grant of a call that was given up is
   * given back by whoever gave it up.
   */
  private void askWhetherToRun(HeldLease lease, Asked asked, AtomicBoolean decided) {
    engine
        .link()
        .whenDone(
            job.gate().admission(asked, false),
            (admission, error) -> {
              if (admission != null && !lease.isHeld() && !engine.isClosed()) {
                standByAgain(lease, decided);
              } else if (admission != null && admission.isGiven()) {
                onThread(
                    () -> {
                      if (decided.compareAndSet(false, true)) {
                        settle(job.run(lease, admission, asked, body));
                      }
                    },
                    why -> {
                      engine.releaseInBackground(lease);
                      fail(why);
                    });
              } else if (decided.compareAndSet(false, true)) {
                if (admission != null) {
                  settle(job.notRun().turnedAway(lease, admission, asked));
                } else {
                  engine.releaseInBackground(lease);
                  fail(error == null ? new IllegalStateException("no control") : error);
                }
              }
            });
  }

  /** The grant was lost while the operators were asked: nothing has begun under it. */
  private void standByAgain(HeldLease lease, AtomicBoolean decided) {
    engine.releaseInBackground(lease);
    if (decided.compareAndSet(false, true)) {
      start();
    }
  }

  private void onThread(Runnable action, Consumer<RuntimeException> otherwise) {
    RuntimeException why = engine.startBody(action);
    if (why != null) {
      otherwise.accept(why);
    }
  }

  private void settle(CompletableFuture<Job.Outcome<T>> end) {
    engine
        .link()
        .whenDone(
            job.watch().told(end),
            (ended, error) -> {
              if (ended == null) {
                fail(error == null ? new IllegalStateException("no outcome") : error);
              } else if (!engine.events().run(() -> result.complete(ended))) {
                result.complete(ended);
              }
            });
  }

  private void fail(Throwable error) {
    Throwable cause = Failures.unwrap(error);
    job.watch().failed(cause);
    if (!engine.events().run(() -> result.completeExceptionally(cause))) {
      result.completeExceptionally(cause);
    }
  }
}
