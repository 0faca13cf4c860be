package dev.pawl.engine.jobs;

import dev.pawl.JobControl;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.Engine;
import java.util.concurrent.CompletableFuture;

/**
 * What operators have decided about a job, as its calls obey it.
 *
 * <p>It is read after the grant and before the body: a pause that was answered before the grant is
 * seen, on whatever node. So is a permit that another run has used up: that is done before the name
 * is given back.
 */
final class JobGate {

  private final Engine engine;
  private final String job;

  JobGate(Engine engine, String job) {
    this.engine = engine;
    this.job = job;
  }

  /**
   * Tells whether a tick that is done may be run again. If nobody can tell it may not: that it is
   * done is true in any case.
   */
  CompletableFuture<Boolean> mayRunAgain(Asked asked, boolean mayBlock) {
    return read(mayBlock)
        .thenApply(control -> control.permit(asked.time()).isPresent())
        .exceptionally(unread -> false);
  }

  /** Tells whether the holder of a lease may run; fails if nobody can tell. */
  CompletableFuture<Admission> admission(Asked asked, boolean mayBlock) {
    return read(mayBlock)
        .thenApply(
            control -> new Admission(control.pause(), control.permit(asked.time()), asked.again()));
  }

  private CompletableFuture<JobControl> read(boolean mayBlock) {
    return Question.ask(engine.link(), mayBlock, store -> ControlRegister.read(store, job));
  }

  /** Takes a permit away, because its tick was run. */
  CompletableFuture<Boolean> useUp(JobControl.Permit permit) {
    return Question.ask(engine.link(), true, store -> ControlRegister.useUp(store, job, permit));
  }
}
