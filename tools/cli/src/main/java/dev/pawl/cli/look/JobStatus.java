package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of one job.
 *
 * @param lock what the store knows of its name
 * @param last its latest run that has ended, if the journal still has it
 */
record JobStatus(String job, LockInfo lock, Optional<PastRun> last) {

  /** How many of the latest runs are read at once; who is not among them is asked for alone. */
  private static final int READ_AT_ONCE = 500;

  /** Returns the jobs that the store knows, in the order of their names. */
  static List<JobStatus> list(Inspector inspector, int limit) {
    List<LockInfo> locks = inspector.list(Job.PREFIX, limit);
    if (locks.isEmpty()) {
      return List.of();
    }
    Map<String, PastRun> latest = new HashMap<>();
    for (PastRun run : inspector.runs(READ_AT_ONCE)) {
      latest.putIfAbsent(run.job(), run);
    }
    List<JobStatus> jobs = new ArrayList<>();
    for (LockInfo lock : locks) {
      String job = lock.name().substring(Job.PREFIX.length());
      Optional<PastRun> last = Optional.ofNullable(latest.get(job));
      if (last.isEmpty() && !job.isEmpty()) {
        last = inspector.runs(job, 1).stream().findFirst();
      }
      jobs.add(new JobStatus(job, lock, last));
    }
    return jobs;
  }

  /** Returns who runs it now. */
  Optional<LockInfo.Holder> runner() {
    return lock.holders().stream().findFirst();
  }

  /** Returns the latest tick that is done. */
  Optional<Instant> tick() {
    return LockWords.tick(lock);
  }
}
