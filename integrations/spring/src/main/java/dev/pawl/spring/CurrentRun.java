package dev.pawl.spring;

import dev.pawl.Job;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The run of a job that this thread does, inside of a method that is {@link OncePerTick}. */
public final class CurrentRun {

  private static final ThreadLocal<Job.@Nullable Run> RUN = new ThreadLocal<>();

  private CurrentRun() {}

  /**
   * Returns the run of this thread: its tick, its token, whether it is still the only one.
   *
   * @throws IllegalStateException if this thread does none, such as in a direct call of the method
   */
  public static Job.Run get() {
    return find()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "this thread runs no job: the method was not called by its schedule, or"
                        + " pawl.enabled is false"));
  }

  /** Returns the run of this thread, if it does one. */
  public static Optional<Job.Run> find() {
    return Optional.ofNullable(RUN.get());
  }

  static void during(Job.Run run, Runnable body) {
    Job.Run before = RUN.get();
    RUN.set(run);
    try {
      body.run();
    } finally {
      if (before == null) {
        RUN.remove();
      } else {
        RUN.set(before);
      }
    }
  }
}
