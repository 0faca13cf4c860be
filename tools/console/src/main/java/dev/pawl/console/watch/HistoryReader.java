package dev.pawl.console.watch;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.spi.LockStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * Reads the jobs and the journal. Of the journal, which is long, it reads what is new; all of it
 * only at first, and when more has happened than a short look shows. One thread at a time uses it.
 */
final class HistoryReader {

  private static final int MOST_JOBS = 1_000;

  /** As many as a store keeps, about: an intervention is not pushed out by runs of jobs. */
  private static final int MOST_ENTRIES = 10_000;

  private static final int SHORT_LOOK = 50;

  /** How many runs of a job are looked for that are not among the latest of all. */
  private static final int OF_A_QUIET_JOB = 20;

  /** How many runs of a job are looked at: more than a page shows. */
  private static final int OF_A_BUSY_JOB = 300;

  private final StoreTime time = new StoreTime();
  private final LocksReader rows = new LocksReader();
  private List<JournalEntry> journal = List.of();
  private List<PastRun> runs = List.of();
  private final Map<String, List<PastRun>> quiet = new HashMap<>();

  History read(Inspector inspector, LockStore store) {
    try {
      Instant now = time.now(store);
      List<JournalEntry> newer = newer(journal, inspector::journal);
      if (!newer.equals(journal)) {
        // Both or none: nothing else would have these runs read again.
        runs = newer(runs, inspector::runs);
        journal = newer;
      }
      List<JobRow> jobs = jobs(inspector, now);
      List<JournalEntry> others =
          journal.stream().filter(entry -> entry.kind() != JournalEntry.Kind.JOB_RUN).toList();
      return new History(now, jobs, runs, others);
    } catch (RuntimeException e) {
      time.forget();
      throw e;
    }
  }

  /** Returns what is known and what is new, the newest first. */
  private static <T> List<T> newer(List<T> known, IntFunction<List<T>> read) {
    List<T> latest = read.apply(SHORT_LOOK);
    boolean meets =
        latest.size() < SHORT_LOOK || (!known.isEmpty() && latest.contains(known.get(0)));
    Set<T> all = new LinkedHashSet<>(meets ? latest : read.apply(MOST_ENTRIES));
    if (meets && latest.size() == SHORT_LOOK) {
      all.addAll(known);
    }
    List<T> list = new ArrayList<>(all);
    return list.subList(0, Math.min(list.size(), MOST_ENTRIES));
  }

  private List<JobRow> jobs(Inspector inspector, Instant now) {
    Map<String, List<PastRun>> byJob = new HashMap<>();
    for (PastRun run : runs) {
      List<PastRun> own = byJob.computeIfAbsent(run.job(), job -> new ArrayList<>());
      if (own.size() < OF_A_BUSY_JOB) {
        own.add(run);
      }
    }
    // What is known of a quiet job holds until it runs: nothing else adds to it.
    quiet.keySet().removeAll(byJob.keySet());
    Map<String, JobControl> controls = new TreeMap<>();
    inspector.jobControls(MOST_JOBS).forEach(control -> controls.put(control.job(), control));
    List<JobRow> jobs = new ArrayList<>();
    for (LockInfo lock : inspector.list(Job.PREFIX, MOST_JOBS)) {
      String job = lock.name().substring(Job.PREFIX.length());
      if (!job.isEmpty()) {
        List<PastRun> own = byJob.get(job);
        if (own == null) {
          own = quiet.computeIfAbsent(job, name -> inspector.runs(name, OF_A_QUIET_JOB));
        }
        JobControl control = controls.remove(job);
        jobs.add(
            new JobRow(
                job,
                rows.row(lock, now, new HashMap<>()),
                tick(lock.mark()),
                own,
                control == null ? JobControl.none(job) : control));
      }
    }
    quiet.keySet().retainAll(jobs.stream().map(JobRow::job).toList());
    // The store may know nothing else of a job that is paused: it has not run, or long ago.
    controls.forEach(
        (job, control) -> {
          LockRow nobody = new LockRow(Job.PREFIX + job, List.of(), List.of());
          List<PastRun> own = byJob.getOrDefault(job, List.of());
          jobs.add(new JobRow(job, nobody, Optional.empty(), own, control));
        });
    return jobs;
  }

  private static Optional<Instant> tick(OptionalLong mark) {
    return mark.isPresent()
        ? Optional.of(Instant.ofEpochMilli(mark.getAsLong()))
        : Optional.empty();
  }
}
