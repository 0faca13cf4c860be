package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is known of one job.
 *
 * @param lock what the store knows of its name
 * @param last its latest run that has ended, if the journal still has it
 * @param control what operators have decided about it
 */
record JobStatus(String job, LockInfo lock, Optional<PastRun> last, JobControl control) {

  /** How many of the latest runs are read at once; who is not among them is asked for alone. */
  private static final int READ_AT_ONCE = 500;

  private static final Comparator<String> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  /** Returns the jobs that the store knows, in the order of their names. */
  static List<JobStatus> list(Inspector inspector, int limit) {
    Map<String, LockInfo> locks = new TreeMap<>(BY_BYTES);
    for (LockInfo lock : inspector.list(Job.PREFIX, limit)) {
      locks.put(lock.name().substring(Job.PREFIX.length()), lock);
    }
    Map<String, JobControl> controls = new HashMap<>();
    for (JobControl control : inspector.jobControls(limit)) {
      controls.put(control.job(), control);
      // A job that was paused before it ever ran.
      locks.putIfAbsent(control.job(), LockWords.unknown(Job.PREFIX + control.job()));
    }
    if (locks.isEmpty()) {
      return List.of();
    }
    Map<String, PastRun> latest = new HashMap<>();
    for (PastRun run : inspector.runs(READ_AT_ONCE)) {
      latest.putIfAbsent(run.job(), run);
    }
    List<JobStatus> jobs = new ArrayList<>();
    locks.forEach(
        (job, lock) -> {
          Optional<PastRun> last = Optional.ofNullable(latest.get(job));
          if (last.isEmpty() && !job.isEmpty()) {
            last = inspector.runs(job, 1).stream().findFirst();
          }
          JobControl control = controls.getOrDefault(job, JobControl.none(job));
          JobStatus status = new JobStatus(job, lock, last, control);
          if (!status.isEmpty() && jobs.size() < limit) {
            jobs.add(status);
          }
        });
    return jobs;
  }

  /** Tells whether it is but a name that the store has not forgotten yet: of a refused tick. */
  private boolean isEmpty() {
    return LockWords.isFree(lock)
        && lock.mark().isEmpty()
        && last.isEmpty()
        && control.equals(JobControl.none(job));
  }

  /** Returns who runs it now. */
  Optional<LockInfo.Holder> runner() {
    return lock.holders().stream().findFirst();
  }

  /** Returns the latest tick that is done. */
  Optional<Instant> tick() {
    return LockWords.tick(lock);
  }

  /** Returns what operators have decided, in words; nothing if they have not. */
  Optional<String> decided(Now now) {
    List<String> words = new ArrayList<>();
    control
        .pause()
        .ifPresent(
            pause ->
                words.add(
                    "paused by %s for %s: %s"
                        .formatted(
                            pause.by(),
                            Durations.format(now.since(pause.since())),
                            pause.reason())));
    if (!control.permits().isEmpty()) {
      words.add(
          control.permits().stream()
              .map(permit -> permit.tick().toString())
              .collect(Collectors.joining(", ", "may run again: ", "")));
    }
    return words.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", words));
  }
}
