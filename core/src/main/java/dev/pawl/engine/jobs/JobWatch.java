package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.Pawl.Monitor;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Engine;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Tells those who watch how calls for the ticks of a job end. */
record JobWatch(Engine engine, String job) {

  /** Has them told of the outcome, once the store has been. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> told(
      CompletableFuture<Job.Outcome<T>> end) {
    return end.thenApply(
        outcome -> {
          engine.events().monitors().ran(job, outcome);
          return outcome;
        });
  }

  /** Tells of a call that has no outcome; one that ends with its node is no failure. */
  void failed(Throwable error) {
    if (!engine.isClosed()) {
      Monitor.Ending ending = CallResult.ending(Failures.unwrap(error));
      engine.events().monitors().failed(job, ending);
    }
  }
}
