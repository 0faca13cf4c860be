package dev.pawl.bench.contest;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Two processes that hand a name to each other; how long that takes is what is measured. */
final class HandOver {

  /** For how long the other waits before the name is freed: at least, and at most so much more. */
  private static final long LEAST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final long MORE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String NAME = "hand-over";

  private final Workers workers;
  private final Results results;
  private final Random pause = new Random(1);

  HandOver(Workers workers, Results results) {
    this.workers = workers;
    this.results = results;
  }

  /** Returns how long so many take, about. */
  static Duration expected(int times) {
    return Duration.ofNanos(times * (LEAST_WAIT_NANOS + MORE_WAIT_NANOS / 2));
  }

  void run(Entrant entrant, int times, boolean counts) {
    WorkerProcess holder = workers.get(0);
    WorkerProcess waiter = workers.get(1);
    try {
      holder.sendTake(entrant.id(), NAME);
      holder.answer();
      for (int i = 0; i < times; i++) {
        waiter.sendTake(entrant.id(), NAME);
        LockSupport.parkNanos(LEAST_WAIT_NANOS + pause.nextLong(MORE_WAIT_NANOS));
        long freed = Long.parseLong(holder.ask("free")[0]);
        long taken = Long.parseLong(waiter.answer()[0]);
        if (counts) {
          results.add(Scenario.HAND_OVER, entrant, Metric.HAND_OVER, (taken - freed) / 1e3);
        }
        WorkerProcess next = holder;
        holder = waiter;
        waiter = next;
      }
      holder.ask("free");
    } catch (WorkerException e) {
      results.fail(Scenario.HAND_OVER, entrant, String.valueOf(e.getMessage()));
      holder.resynchronise();
      waiter.resynchronise();
    }
  }
}
