package dev.pawl.recipes;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.Pawl;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.listener.ItemWriteListener;
import org.springframework.batch.infrastructure.item.Chunk;

/**
 * Runs a batch job on one node at a time. It is a listener of the job's steps, too: a chunk is not
 * written once the lock is lost, and its transaction is rolled back.
 */
public final class LockedBatch implements ItemWriteListener<Object> {

  private final Pawl pawl;
  private final String name;
  private volatile @Nullable Lease held;

  public LockedBatch(Pawl pawl, String name) {
    this.pawl = pawl;
    this.name = name;
  }

  /**
   * Starts the job, unless another node runs it: then it returns empty at once.
   *
   * @param operator one that runs the job in the calling thread, which is the default
   */
  public Optional<JobExecution> start(JobOperator operator, Job job, JobParameters parameters)
      throws Exception {
    Optional<Lease> taken = pawl.lock("batch:" + name).tryAcquire();
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    try (Lease lease = taken.get()) {
      held = lease;
      return Optional.of(operator.start(job, parameters));
    }
  }

  @Override
  public void beforeWrite(Chunk<? extends Object> items) {
    Lease lease = held;
    if (lease == null) {
      throw new LeaseLostException("batch:" + name + " is not held: start it by LockedBatch");
    }
    lease.confirm(); // Asks the store, once a chunk.
  }
}
