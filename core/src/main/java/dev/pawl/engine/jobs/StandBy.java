package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Calls;
import dev.pawl.engine.locks.Engine;
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
                settle(job.doneBefore(due, tick));
              } else if (!result.isCancelled()) {
                waitFor(due);
              }
            });
  }

  private void waitFor(Due due) {
    Caller caller = new Caller(job.request(due), null, false, engine.now(), Caller.NO_DEADLINE);
    AtomicBoolean decided = new AtomicBoolean();
    engine
        .link()
        .whenDone(
            caller.outcome,
            (outcome, error) -> {
              if (outcome instanceof CallResult.Failed failed) {
                fail(calls.failure(caller, failed));
              } else if (outcome != null && NodeJob.isToBeAskedAgain(outcome, tick)) {
                if (decided.compareAndSet(false, true)) {
                  start();
                }
              } else if (outcome != null) {
                onThread(
                    () -> {
                      // A cancelled call's grant is given back by whoever gave the call up.
                      if (decided.compareAndSet(false, true)) {
                        settle(job.conclude(outcome, due, tick, body));
                      }
                    },
                    why -> {
                      giveBack(outcome);
                      fail(why);
                    });
              }
            });
    engine.start(caller, false);
    engine
        .link()
        .whenDone(
            result,
            (ended, error) -> {
              if (result.isCancelled() && decided.compareAndSet(false, true)) {
                calls.giveUp(caller);
              }
            });
  }

  private void onThread(Runnable action, Consumer<RuntimeException> otherwise) {
    RuntimeException why = engine.startBody(action);
    if (why != null) {
      otherwise.accept(why);
    }
  }

  private void giveBack(CallResult outcome) {
    if (outcome instanceof CallResult.Held held) {
      engine.releaseInBackground(held.lease());
    }
  }

  private void settle(CompletableFuture<Job.Outcome<T>> end) {
    engine
        .link()
        .whenDone(
            end,
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
    if (!engine.events().run(() -> result.completeExceptionally(cause))) {
      result.completeExceptionally(cause);
    }
  }
}
