package dev.pawl.micrometer;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl.Monitor.Ending;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The meters of one name, made beforehand: a call only looks one up by the number of its end. */
final class NameMeters {

  /** How a call for a tick ended, in a tag. */
  private enum RunEnding {
    RAN,
    FAILED,
    RETRIED,
    LOST,
    UNKNOWN,
    LEFT
  }

  private final Map<Ending, Timer> acquires = new EnumMap<>(Ending.class);
  private final Map<RunEnding, Timer> runs = new EnumMap<>(RunEnding.class);
  private final Timer waited;
  private final Timer held;
  private final Counter passes;
  private final Counter lost;
  private final Map<Ending, Counter> errors = new EnumMap<>(Ending.class);
  private final Counter alreadyDone;
  private final Counter elsewhere;
  private final Counter paused;
  private final Counter missed;

  NameMeters(MeterRegistry registry, Tags tags) {
    for (Ending ending : Ending.values()) {
      acquires.put(
          ending,
          timer("pawl.acquire", "Calls for a lock")
              .tags(tags.and("outcome", PawlMetrics.text(ending)))
              .register(registry));
    }
    waited =
        timer("pawl.wait", "Waits for a lock, of calls that were not answered at once")
            .tags(tags)
            .register(registry);
    held =
        timer("pawl.hold", "How long locks were held that were released")
            .tags(tags)
            .register(registry);
    passes =
        Counter.builder("pawl.passes")
            .description("Grants that were passed on inside the node, without a round trip")
            .tags(tags)
            .register(registry);
    lost =
        Counter.builder("pawl.lost")
            .description("Leases that ended otherwise than by a release")
            .tags(tags)
            .register(registry);
    for (RunEnding ending : RunEnding.values()) {
      runs.put(
          ending,
          timer("pawl.job.run", "Runs of jobs on this node")
              .tags(tags.and("outcome", PawlMetrics.text(ending)))
              .register(registry));
    }
    for (Ending ending : List.of(Ending.UNAVAILABLE, Ending.UNKNOWN, Ending.FAILED)) {
      errors.put(
          ending,
          Counter.builder("pawl.job.errors")
              .description("Calls for a tick that ended with an error, and ran nothing")
              .tags(tags.and("outcome", PawlMetrics.text(ending)))
              .register(registry));
    }
    alreadyDone = skipped(registry, tags, "done");
    elsewhere = skipped(registry, tags, "elsewhere");
    paused = skipped(registry, tags, "paused");
    missed =
        Counter.builder("pawl.job.missed")
            .description("Ticks that nobody completed in their time")
            .tags(tags)
            .register(registry);
  }

  private static Timer.Builder timer(String name, String description) {
    return Timer.builder(name).description(description);
  }

  private static Counter skipped(MeterRegistry registry, Tags tags, String reason) {
    return Counter.builder("pawl.job.skipped")
        .description("Ticks that another node runs or has run, or whose job is paused")
        .tags(tags.and("reason", reason))
        .register(registry);
  }

  @SuppressWarnings("NullAway") // There is a timer for each ending.
  void onEnded(Ending ending, long tookNanos) {
    acquires.get(ending).record(tookNanos, TimeUnit.NANOSECONDS);
    if (ending == Ending.PASSED) {
      passes.increment();
    }
    if (ending == Ending.PASSED || ending == Ending.WAITED || ending == Ending.TIMED_OUT) {
      waited.record(tookNanos, TimeUnit.NANOSECONDS);
    }
  }

  void onReleased(long heldNanos) {
    held.record(heldNanos, TimeUnit.NANOSECONDS);
  }

  void onLost() {
    lost.increment();
  }

  void onRan(Job.Outcome<?> outcome) {
    if (outcome instanceof Job.Outcome.Ran<?> ran) {
      record(RunEnding.RAN, ran.took());
    } else if (outcome instanceof Job.Outcome.Failed<?> failed) {
      record(ending(failed), failed.took());
    } else if (outcome instanceof Job.Outcome.Left<?> left) {
      record(RunEnding.LEFT, left.took());
    } else if (outcome instanceof Job.Outcome.AlreadyDone<?>) {
      alreadyDone.increment();
    } else if (outcome instanceof Job.Outcome.Paused<?>) {
      paused.increment();
    } else {
      elsewhere.increment();
    }
  }

  private static RunEnding ending(Job.Outcome.Failed<?> failed) {
    return failed.error() instanceof LeaseLostException
        ? RunEnding.LOST
        : failed.error() instanceof OutcomeUnknownException
            ? RunEnding.UNKNOWN
            : failed.retried() ? RunEnding.RETRIED : RunEnding.FAILED;
  }

  @SuppressWarnings("NullAway") // There is a timer for each ending.
  private void record(RunEnding ending, Duration took) {
    runs.get(ending).record(took);
  }

  void onFailed(Ending ending) {
    Counter counter = errors.get(ending);
    if (counter != null) {
      counter.increment();
    }
  }

  void onMissed(long ticks) {
    missed.increment((double) ticks);
  }
}
