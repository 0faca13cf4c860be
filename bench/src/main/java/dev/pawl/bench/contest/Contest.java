package dev.pawl.bench.contest;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One run of a suite: everybody on the same servers and the same processes, in rounds.
 *
 * <p>Each round goes through the scenarios, and in each scenario through the competitors in a new
 * order. The first round warms up and does not count. A competitor that does not exclude takes no
 * part.
 */
public final class Contest {

  private static final Duration QUICK_WINDOW = Duration.ofSeconds(10);
  private static final Duration WINDOW = Duration.ofSeconds(30);

  /** Three of it are a lease that can be waited for in a quick run. */
  private static final Duration SHORT_RENEWAL_PERIOD = Duration.ofSeconds(5);

  private static final Duration PATIENT_RECOVERY = Duration.ofSeconds(35);

  private final Suite suite;
  private final Plan plan;
  private final PrintStream log;

  /** Prepares a run; what it does is said in {@code log}. */
  public Contest(Suite suite, Plan plan, PrintStream log) {
    this.suite = suite;
    this.plan = plan;
    this.log = log;
  }

  /** Runs it. */
  public Results run() {
    Results results = new Results(suite, Conditions.of(suite, plan));
    Progress progress = new Progress(log, planned());
    progress.say(suite.name() + ": starts the servers and " + plan.processes() + " processes");
    try (Backend backend = suite.start()) {
      try (Workers workers = new Workers(suite, backend.address(), plan.processes())) {
        progress.say(suite.name() + ": checks that everybody excludes");
        checkExclusion(workers, results);
        rounds(workers, results, progress);
      }
      slowOnes(backend, results, progress);
    }
    return results;
  }

  private void checkExclusion(Workers workers, Results results) {
    ExclusionCheck check = new ExclusionCheck(workers);
    for (Entrant entrant : suite.entrants()) {
      Optional<String> fault = check.check(entrant);
      fault.ifPresent(
          reason -> {
            log.println("bench: " + entrant.label() + " " + reason);
            results.exclude(entrant, reason);
          });
    }
  }

  private void rounds(Workers workers, Results results, Progress progress) {
    Rounds rounds = new Rounds(plan, workers, results);
    HandOver handOver = new HandOver(workers, results);
    for (int round = 0; round <= plan.rounds(); round++) {
      boolean counts = round > 0;
      String which = counts ? "round " + round + " of " + plan.rounds() : "warm-up";
      for (Scenario scenario : throughput()) {
        progress.say(suite.name() + ", " + which + ": " + scenario.title());
        rounds.run(scenario, entrants(scenario, results), counts, progress);
      }
      if (plan.scenarios().contains(Scenario.HAND_OVER)) {
        progress.say(suite.name() + ", " + which + ": " + Scenario.HAND_OVER.title());
        for (Entrant entrant : entrants(Scenario.HAND_OVER, results)) {
          if (!results.failures(Scenario.HAND_OVER).containsKey(entrant.id())) {
            handOver.run(entrant, handOvers(counts), counts);
          }
          progress.advance(HandOver.expected(handOvers(counts)));
        }
      }
    }
  }

  /** What takes seconds and little of the machine is measured side by side. */
  private void slowOnes(Backend backend, Results results, Progress progress) {
    List<Entrant> toRecover = new ArrayList<>();
    for (Entrant entrant : entrants(Scenario.RECOVERY, results)) {
      boolean quick = suite.renewalPeriod(entrant.id()).compareTo(SHORT_RENEWAL_PERIOD) < 0;
      if (plan.scenarios().contains(Scenario.RECOVERY) && (quick || plan.patient())) {
        toRecover.add(entrant);
      }
    }
    List<Entrant> toHold =
        plan.scenarios().contains(Scenario.HELD_LOCKS)
            ? entrants(Scenario.HELD_LOCKS, results)
            : List.of();
    if (toRecover.isEmpty() && toHold.isEmpty()) {
      return;
    }
    progress.say(suite.name() + ": killed holders, and very many held locks");
    try (Recovery recovery = new Recovery(suite, backend, toRecover)) {
      if (!toHold.isEmpty()) {
        new HeldLocks(suite, plan.heldLocks(), results)
            .run(toHold, plan.patient() ? WINDOW : QUICK_WINDOW);
      }
      recovery.finish(results);
    }
  }

  private List<Scenario> throughput() {
    return Arrays.stream(Scenario.values())
        .filter(Scenario::isThroughput)
        .filter(plan.scenarios()::contains)
        .toList();
  }

  private List<Entrant> entrants(Scenario scenario, Results results) {
    return entrants(scenario).stream()
        .filter(entrant -> !results.excluded().containsKey(entrant.id()))
        .toList();
  }

  private List<Entrant> entrants(Scenario scenario) {
    return suite.entrants().stream()
        .filter(entrant -> entrant.scenarios().contains(scenario))
        .toList();
  }

  private int handOvers(boolean counts) {
    return counts ? Math.max(1, plan.handOvers() / plan.rounds()) : 5;
  }

  private Duration planned() {
    Duration sum = Duration.ZERO;
    for (Scenario scenario : throughput()) {
      int turns = entrants(scenario).size() * (plan.rounds() + Plan.WARM_UP);
      sum = sum.plus(plan.slice(scenario, true).multipliedBy(turns));
    }
    if (plan.scenarios().contains(Scenario.HAND_OVER)) {
      int turns = entrants(Scenario.HAND_OVER).size();
      sum = sum.plus(HandOver.expected(turns * (plan.handOvers() + handOvers(false))));
    }
    if (plan.scenarios().contains(Scenario.RECOVERY) && !entrants(Scenario.RECOVERY).isEmpty()) {
      sum = sum.plus(plan.patient() ? PATIENT_RECOVERY : QUICK_WINDOW);
    }
    return sum;
  }
}
