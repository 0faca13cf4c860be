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
      cases.forEach(each -> each.process.send("hold", each.entrant.id(), "" + count));
      List<Case> holding = cases.stream().filter(this::isHolding).toList();
      List<Long> before = holding.stream().map(each -> each.backend.commands().read()).toList();
      long end = System.nanoTime() + window.toNanos();
      for (long left = window.toNanos(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      for (int i = 0; i < holding.size(); i++) {
        Case each = holding.get(i);
        long commands = each.backend.commands().read() - before.get(i);
        count(each, commands, window);
      }
    } finally {
      cases.forEach(
          each -> {
            each.process.kill();
            each.backend.close();
          });
    }
  }

  private boolean isHolding(Case each) {
    try {
      String[] costs = each.process.answer();
      results.add(Scenario.HELD_LOCKS, each.entrant, Metric.HEAP, Double.parseDouble(costs[0]));
      results.add(Scenario.HELD_LOCKS, each.entrant, Metric.THREADS, Double.parseDouble(costs[1]));
      return true;
    } catch (WorkerException e) {
      results.fail(Scenario.HELD_LOCKS, each.entrant, String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Who let go of what it held had nothing to renew, and does not count. */
  private void count(Case each, long commands, Duration window) {
    Entrant entrant = each.entrant;
    try (WorkerProcess other = WorkerProcess.start(suite, each.backend.address())) {
      for (String name : List.of(Hoard.name(0), Hoard.name(count - 1))) {
        if (other.ask("try", entrant.id(), name)[0].equals("taken")) {
          results.fail(Scenario.HELD_LOCKS, entrant, name + " was lost while it was held");
          return;
        }
      }
    } catch (WorkerException e) {
      results.fail(Scenario.HELD_LOCKS, entrant, String.valueOf(e.getMessage()));
      return;
    }
    double periods = (double) window.toNanos() / suite.renewalPeriod(entrant.id()).toNanos();
    results.add(Scenario.HELD_LOCKS, entrant, Metric.COMMANDS, commands / periods);
  }
}
