package dev.pawl.bench.contest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The turns in which pairs are counted. */
final class Rounds {

  /** For the threads of a slice to be there when it begins. */
  private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

  private final Plan plan;
  private final Workers workers;
  private final Results results;
  private final Random order = new Random(1);

  Rounds(Plan plan, Workers workers, Results results) {
    this.plan = plan;
    this.workers = workers;
    this.results = results;
  }

  /** Lets everybody have a turn in a scenario, in a new order. */
  void run(Scenario scenario, List<Entrant> entrants, boolean counts, Progress progress) {
    List<Entrant> shuffled = new ArrayList<>(entrants);
    Collections.shuffle(shuffled, order);
    for (Entrant entrant : shuffled) {
      try {
        turn(scenario, entrant, counts);
      } catch (WorkerException e) {
        results.fail(scenario, entrant, String.valueOf(e.getMessage()));
      }
      progress.advance(plan.slice(scenario, counts));
    }
  }

  private void turn(Scenario scenario, Entrant entrant, boolean counts) {
    List<WorkerProcess> processes =
        workers.first(scenario == Scenario.PROCESSES ? workers.size() : 1);
    processes.forEach(process -> process.send("open", entrant.id()));
    processes.forEach(WorkerProcess::answer);
    long nanos = plan.slice(scenario, counts).toNanos();
    long start = System.nanoTime() + LEAD_NANOS;
    for (WorkerProcess process : processes) {
      process.send(
          "pairs",
          entrant.id(),
          scenario.id(),
          "" + scenario.threads(),
          "" + start,
          "" + (start + nanos));
    }
    Tally sum = Tally.NONE;
    long most = 0;
    long fewest = Long.MAX_VALUE;
    for (WorkerProcess process : processes) {
      Tally tally = Tally.of(process.answer());
      sum = sum.plus(tally);
      most = Math.max(most, tally.pairs());
      fewest = Math.min(fewest, tally.pairs());
    }
    if (sum.errors() > 0) {
      results.fail(scenario, entrant, sum.errors() + " errors, the first: " + sum.firstError());
    }
    if (counts) {
      results.add(scenario, entrant, Metric.PAIRS, sum.pairs() * 1e9 / nanos);
      results.add(
          scenario, entrant, Metric.CLIENT_CPU, sum.cpuNanos() / 1e3 / Math.max(1, sum.pairs()));
      if (processes.size() > 1) {
        // One that had nothing at all had less than one.
        double unfairness = (double) most / Math.max(fewest, 1);
        results.add(scenario, entrant, Metric.UNFAIRNESS, unfairness);
      }
    }
  }
}
