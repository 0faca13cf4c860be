package dev.pawl.engine.locks;

import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.Pawl;
import java.util.function.ToIntFunction;

/** What a node counts: what it has now is counted when somebody asks. */
public final class NodeCounts implements Pawl.Counts {

  private final Engine engine;

  public NodeCounts(Engine engine) {
    this.engine = engine;
  }

  @Override
  public int held(Kind kind) {
    return sum(kind, queue -> queue.leases().size());
  }

  @Override
  public int waiting(Kind kind) {
    return sum(kind, LocalQueue::waiting);
  }

  private int sum(Kind kind, ToIntFunction<LocalQueue> count) {
    int sum = 0;
    for (LocalQueue queue : engine.queues()) {
      if (kindOf(queue.name()) == kind) {
        sum += count.applyAsInt(queue);
      }
    }
    return sum;
  }

  private static Kind kindOf(String name) {
    return name.startsWith(Job.PREFIX)
        ? Kind.JOB
        : name.startsWith(Election.PREFIX) ? Kind.ELECTION : Kind.LOCK;
  }

  @Override
  public long storeCalls(Call call, Answer answer) {
    return engine.link().calls().count(call, answer);
  }

  @Override
  public long failedRenewals() {
    return engine.link().calls().failedRenewals();
  }
}
