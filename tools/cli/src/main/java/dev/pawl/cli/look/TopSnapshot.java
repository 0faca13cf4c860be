package dev.pawl.cli.look;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import java.util.List;

/**
 * What {@code pawl top} shows, as the store had it at one moment.
 *
 * @param locks the names that are held or waited for and are no jobs
 */
record TopSnapshot(String store, Now now, List<LockInfo> locks, List<JobStatus> jobs) {

  /** More than fit any window. */
  private static final int MOST = 500;

  static TopSnapshot of(StoreView view) {
    List<LockInfo> locks =
        view.inspector().list("", MOST).stream()
            .filter(lock -> !LockWords.isFree(lock) && !lock.name().startsWith(Job.PREFIX))
            .toList();
    List<JobStatus> jobs = JobStatus.list(view.inspector(), MOST);
    return new TopSnapshot(view.describe(), view.now(), locks, jobs);
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
