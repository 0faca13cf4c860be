package dev.pawl.cli.look;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import java.util.List;

/**
 * What {@code pawl top} shows, as the store had it at one moment.
 *
 * @param mode where the locks of a pair are, if not in its primary; otherwise empty
 * @param locks the names that are held or waited for and are no jobs
 */
record TopSnapshot(String store, String mode, Now now, List<LockInfo> locks, List<JobStatus> jobs) {

  /** More than anybody scrolls through. */
  private static final int MOST_LOCKS = 10_000;

  private static final int MOST_JOBS = 500;

  static TopSnapshot of(StoreView view) {
    List<LockInfo> locks =
        view.inspector().listInUse("", MOST_LOCKS).stream()
            .filter(lock -> !lock.name().startsWith(Job.PREFIX))
            .toList();
    List<JobStatus> jobs = JobStatus.list(view.inspector(), MOST_JOBS);
    return new TopSnapshot(view.describe(), view.mode(), view.now(), locks, jobs);
  }

  long held() {
    return locks.stream().filter(lock -> !lock.holders().isEmpty()).count();
  }

  long waiting() {
    return locks.stream().mapToLong(lock -> lock.waiters().size()).sum();
  }

  long running() {
    return jobs.stream().filter(job -> job.runner().isPresent()).count();
  }
}
