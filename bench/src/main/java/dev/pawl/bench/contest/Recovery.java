package dev.pawl.bench.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Holders that are killed, all at about the same time, and others who wait for what they held. */
final class Recovery implements AutoCloseable {

  /** Soon after the name was taken, when the lease has most of its time left. */
  private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final String NAME = "recovery";

  private final List<Case> cases = new ArrayList<>();

  private record Case(Entrant entrant, WorkerProcess waiter, long killedNanos) {}

  Recovery(Suite suite, Backend backend, List<Entrant> entrants) {
    for (Entrant entrant : entrants) {
      WorkerProcess waiter = WorkerProcess.start(suite, backend.address());
      try (WorkerProcess holder = WorkerProcess.start(suite, backend.address())) {
        waiter.ask("open", entrant.id());
        holder.sendTake(entrant.id(), NAME);
        holder.answer();
        waiter.sendTake(entrant.id(), NAME);
        LockSupport.parkNanos(HELD_NANOS);
        cases.add(new Case(entrant, waiter, System.nanoTime()));
        holder.kill();
      }
    }
  }

  /** Waits until all of them were followed. */
  void finish(Results results) {
    for (Case each : cases) {
      try {
        long taken = Long.parseLong(each.waiter.answer()[0]);
        results.add(
            Scenario.RECOVERY, each.entrant, Metric.RECOVERY, (taken - each.killedNanos) / 1e9);
      } catch (WorkerException e) {
        results.fail(Scenario.RECOVERY, each.entrant, String.valueOf(e.getMessage()));
      }
    }
  }

  @Override
  public void close() {
    cases.forEach(each -> each.waiter.kill());
  }
}
