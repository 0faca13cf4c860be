package dev.pawl.bench.contest;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was measured in one contest. */
public final class Results {

  private final Suite suite;
  private final Map<String, String> conditions;
  private final Map<Scenario, Map<String, Map<Metric, List<Double>>>> samples =
      new EnumMap<>(Scenario.class);
  private final Map<Scenario, Map<String, String>> failures = new EnumMap<>(Scenario.class);
  private final Map<String, String> excluded = new LinkedHashMap<>();

  Results(Suite suite, Map<String, String> conditions) {
    this.suite = suite;
    this.conditions = conditions;
  }

  /** Returns the suite. */
  public Suite suite() {
    return suite;
  }

  /** Returns where and how it was measured. */
  Map<String, String> conditions() {
    return conditions;
  }

  void add(Scenario scenario, Entrant entrant, Metric metric, double sample) {
    samples
        .computeIfAbsent(scenario, key -> new LinkedHashMap<>())
        .computeIfAbsent(entrant.id(), key -> new EnumMap<>(Metric.class))
        .computeIfAbsent(metric, key -> new ArrayList<>())
        .add(sample);
  }

  /** Notes that something went wrong; the first time is remembered. */
  void fail(Scenario scenario, Entrant entrant, String reason) {
    failures
        .computeIfAbsent(scenario, key -> new LinkedHashMap<>())
        .putIfAbsent(entrant.id(), reason);
  }

  /** Notes that a competitor is not measured at all. */
  void exclude(Entrant entrant, String reason) {
    excluded.put(entrant.id(), reason);
  }

  /** Returns those who are not measured, with the reason. */
  public Map<String, String> excluded() {
    return excluded;
  }

  /** Returns what went wrong in a scenario, by competitor. */
  public Map<String, String> failures(Scenario scenario) {
    return failures.getOrDefault(scenario, Map.of());
  }

  /** Returns what was measured of a competitor. */
  public Optional<Sample> find(Scenario scenario, String entrant, Metric metric) {
    return Optional.ofNullable(
            samples.getOrDefault(scenario, Map.of()).getOrDefault(entrant, Map.of()).get(metric))
        .map(Sample::of);
  }

  /** Tells whether anything was measured in a scenario. */
  boolean has(Scenario scenario) {
    return samples.containsKey(scenario) || failures.containsKey(scenario);
  }
}
