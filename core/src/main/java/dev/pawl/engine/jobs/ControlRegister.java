package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Where the control of a job is kept: a register of the store, under the job's name as the store
 * has it.
 */
public final class ControlRegister {

  private ControlRegister() {}

  /** Returns what stands there; nothing on a store without registers. */
  public static CompletionStage<JobControl> read(LockStore store, String job) {
    return store.capabilities().contains(Capability.REGISTERS)
        ? store
            .registers()
            .read(Job.PREFIX + job)
            .thenApply(found -> ControlText.decode(job, found))
        : CompletableFuture.completedFuture(JobControl.none(job));
  }

  /** Returns those of all jobs about which anything was decided, in the order of their names. */
  public static CompletionStage<List<JobControl>> list(LockStore store, int limit) {
    return store.capabilities().contains(Capability.REGISTERS)
        ? store
            .registers()
            .list(Job.PREFIX, limit)
            .thenApply(
                found -> found.stream().map(each -> ControlText.decode(jobOf(each), each)).toList())
        : CompletableFuture.completedFuture(List.of());
  }

  private static String jobOf(Register register) {
    return register.key().substring(Job.PREFIX.length());
  }

  /**
   * Changes what stands there, over whatever others have made of it meanwhile; answers whether that
   * changed anything. The change says who made it and when, so that one's own is known again.
   */
  public static CompletionStage<Boolean> change(
      LockStore store, String job, UnaryOperator<JobControl> change) {
    return store
        .registers()
        .read(Job.PREFIX + job)
        .thenCompose(seen -> change(store, job, seen, change));
  }

  private static CompletionStage<Boolean> change(
      LockStore store, String job, Register seen, UnaryOperator<JobControl> change) {
    JobControl before = ControlText.decode(job, seen);
    JobControl after = change.apply(before);
    if (after.equals(before)) {
      return CompletableFuture.completedFuture(false);
    }
    return store
        .registers()
        .compareAndSet(seen, ControlText.encode(after))
        .thenCompose(
            reply ->
                reply instanceof RegisterReply.Written
                        || ControlText.decode(job, reply.register()).equals(after)
                    ? CompletableFuture.completedFuture(true)
                    : change(store, job, reply.register(), change));
  }

  /**
   * Takes a permit away, that very one. Asked twice it does so once; that it is gone is enough,
   * whoever took it: the name of the job is held by whoever asks.
   */
  static CompletionStage<Boolean> useUp(LockStore store, String job, JobControl.Permit permit) {
    return change(
        store,
        job,
        control ->
            new JobControl(
                job,
                control.pause(),
                control.permits().stream().filter(each -> !each.equals(permit)).toList()));
  }
}
