package dev.pawl.bench.contest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Processes that each hold very many locks, on servers of their own, so that each is counted. */
final class HeldLocks {

  private final Suite suite;
  private final Results results;
  private final int count;

  /** One competitor, with its process and its server. */
  private record Case(Entrant entrant, Backend backend, WorkerProcess process) {}

  HeldLocks(Suite suite, int count, Results results) {
    this.suite = suite;
    this.count = count;
    this.results = results;
  }

  /** Counts what the renewals of some time cost; all of them at once. */
  void run(List<Entrant> entrants, Duration window) {
    List<Case> cases = new ArrayList<>();
    try {
      for (Entrant entrant : entrants) {
        Backend backend = suite.start();
        cases.add(new Case(entrant, backend, WorkerProcess.start(suite, backend.address())));
      }
      List<Case> holding = cases.stream().filter(this::hold).toList();
      List<Long> before = holding.stream().map(each -> each.backend.commands().read()).toList();
      long end = System.nanoTime() + window.toNanos();
      for (long left = window.toNanos(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      for (int i = 0; i < holding.size(); i++) {
        Case each = holding.get(i);
        double periods =
            (double) window.toNanos() / suite.renewalPeriod(each.entrant.id()).toNanos();
        long commands = each.backend.commands().read() - before.get(i);
        results.add(Scenario.HELD_LOCKS, each.entrant, Metric.COMMANDS, commands / periods);
      }
    } finally {
      cases.forEach(
          each -> {
            each.process.kill();
            each.backend.close();
          });
    }
  }

  private boolean hold(Case each) {
    try {
      String[] costs = each.process.ask("hold", each.entrant.id(), "" + count);
      results.add(Scenario.HELD_LOCKS, each.entrant, Metric.HEAP, Double.parseDouble(costs[0]));
      results.add(Scenario.HELD_LOCKS, each.entrant, Metric.THREADS, Double.parseDouble(costs[1]));
      return true;
    } catch (WorkerException e) {
      results.fail(Scenario.HELD_LOCKS, each.entrant, String.valueOf(e.getMessage()));
      return false;
    }
  }
}
