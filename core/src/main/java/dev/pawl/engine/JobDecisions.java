package dev.pawl.engine;

import dev.pawl.JobControl;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.engine.jobs.ControlRegister;
import dev.pawl.engine.link.Names;
import dev.pawl.spi.LockStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

/** What operators decide about jobs: each is a change of the job's register, and is journalled. */
final class JobDecisions {

  /** Ticks of one job that may be run again, and that nobody has run. */
  private static final int MOST_PERMITS = 20;

  /** So that the control of a job fits into its register. */
  private static final int MOST_CHARS = 500;

  private final OperatorLink link;

  JobDecisions(OperatorLink link) {
    this.link = link;
  }

  boolean pause(String job, String by, String reason) {
    return decide(
        JournalEntry.Kind.JOB_PAUSED,
        job,
        details(by, reason),
        (control, now) ->
            control.pause().isPresent()
                ? control
                : new JobControl(
                    job, Optional.of(new JobControl.Pause(by, reason, now)), control.permits()));
  }

  boolean resume(String job, String by, String reason) {
    return decide(
        JournalEntry.Kind.JOB_RESUMED,
        job,
        details(by, reason),
        (control, now) -> new JobControl(job, Optional.empty(), control.permits()));
  }

  boolean permitRerun(String job, Instant tick, String by, String reason) {
    String name = OperatorLink.nameOf(job);
    Map<String, String> details = details(by, reason, tick);
    long done =
        link.ask("find", store -> store.find(name))
            .map(LockInfo::mark)
            .orElse(OptionalLong.empty())
            .orElse(-1);
    if (tick.toEpochMilli() > done) {
      return false;
    }
    // Told here and not thrown there: what is thrown while the store is asked is the store's.
    AtomicBoolean full = new AtomicBoolean();
    boolean permitted =
        decide(
            JournalEntry.Kind.JOB_RERUN,
            job,
            details,
            (control, now) -> {
              boolean isNew = control.permit(millis(tick)).isEmpty();
              full.set(isNew && control.permits().size() >= MOST_PERMITS);
              return isNew && !full.get()
                  ? permitted(control, new JobControl.Permit(millis(tick), by, reason, now))
                  : control;
            });
    if (full.get()) {
      throw new IllegalArgumentException(
          MOST_PERMITS
              + " ticks of job "
              + Names.quote(job)
              + " may be run again already, and nobody has; withdraw those that nobody is to run");
    }
    return permitted;
  }

  private static JobControl permitted(JobControl control, JobControl.Permit permit) {
    List<JobControl.Permit> permits = new ArrayList<>(control.permits());
    permits.add(permit);
    permits.sort(Comparator.comparing(JobControl.Permit::tick));
    return new JobControl(control.job(), control.pause(), permits);
  }

  boolean withdrawRerun(String job, Instant tick, String by, String reason) {
    Map<String, String> details = details(by, reason, tick);
    Instant withdrawn = millis(tick);
    return decide(
        JournalEntry.Kind.JOB_RERUN_WITHDRAWN,
        job,
        details,
        (control, now) ->
            new JobControl(
                job,
                control.pause(),
                control.permits().stream()
                    .filter(each -> !each.tick().equals(withdrawn))
                    .toList()));
  }

  private boolean decide(
      JournalEntry.Kind kind,
      String job,
      Map<String, String> details,
      BiFunction<JobControl, Instant, JobControl> change) {
    String name = OperatorLink.nameOf(job);
    long micros = link.ask("the store's clock", LockStore::nowMicros);
    Instant now = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    boolean changed =
        link.ask(
            "the change of the job's register",
            store -> ControlRegister.change(store, job, control -> change.apply(control, now)));
    if (changed) {
      link.note(kind, name, 0, details);
    }
    return changed;
  }

  private static Map<String, String> details(String by, String reason) {
    OperatorLink.checkWhoAndWhy(by, reason);
    if (by.length() > MOST_CHARS || reason.length() > MOST_CHARS) {
      throw new IllegalArgumentException(
          "by has %d characters and reason %d; allowed are %d each"
              .formatted(by.length(), reason.length(), MOST_CHARS));
    }
    return Map.of("by", by, "reason", reason);
  }

  private static Map<String, String> details(String by, String reason, Instant tick) {
    Objects.requireNonNull(tick, "tick");
    var unused = details(by, reason);
    return Map.of("by", by, "reason", reason, "tick", millis(tick).toString());
  }

  private static Instant millis(Instant tick) {
    return Instant.ofEpochMilli(tick.toEpochMilli());
  }

  JobControl control(String job) {
    var unused = OperatorLink.nameOf(job);
    return link.ask("the job's register", store -> ControlRegister.read(store, job));
  }

  List<JobControl> controls(int limit) {
    return link.ask("the jobs' registers", store -> ControlRegister.list(store, limit));
  }
}
