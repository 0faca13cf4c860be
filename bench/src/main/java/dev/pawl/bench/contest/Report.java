package dev.pawl.bench.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Results as Markdown: a table for each scenario, and the aims, met or missed. */
public final class Report {

  private final Results results;
  private final Suite suite;
  private final StringBuilder text = new StringBuilder();

  private Report(Results results) {
    this.results = results;
    this.suite = results.suite();
  }

  /** Returns the report of one run. */
  public static String of(Results results) {
    return new Report(results).write();
  }

  private String write() {
    line("## " + suite.name());
    line("");
    line(
        results.conditions().entrySet().stream()
            .filter(condition -> !condition.getKey().equals("suite"))
            .map(condition -> condition.getKey() + ": " + condition.getValue())
            .collect(Collectors.joining("; ")));
    line("");
    for (Scenario scenario : Scenario.values()) {
      if (results.has(scenario)) {
        scenario(scenario);
      }
    }
    aims();
    terms();
    return text.toString();
  }

  private void scenario(Scenario scenario) {
    line("### " + scenario.title());
    line("");
    List<String> yardsticks =
        suite.yardsticks().stream()
            .filter(id -> results.find(scenario, id, scenario.metric()).isPresent())
            .toList();
    List<Column> columns = columns(scenario, yardsticks);
    row("competitor", columns.stream().map(Column::heading).toList());
    row("---", columns.stream().map(column -> "---:").toList());
    for (Entrant entrant : suite.entrants()) {
      if (results.find(scenario, entrant.id(), scenario.metric()).isPresent()) {
        row(
            entrant.label(),
            columns.stream().map(column -> column.cell().apply(entrant.id())).toList());
      }
    }
    line("");
    Map<String, String> failures = results.failures(scenario);
    failures.forEach(
        (id, reason) -> line("- " + suite.entrant(id).label() + ": " + reason.strip()));
    if (!failures.isEmpty()) {
      line("");
    }
  }

  /** One more column of a table. */
  private record Column(String heading, Function<String, String> cell) {}

  private List<Column> columns(Scenario scenario, List<String> yardsticks) {
    List<Column> columns = new ArrayList<>();
    switch (scenario) {
      case HAND_OVER -> {
        columns.add(quantile(scenario, "p50, µs", 0.5));
        columns.add(quantile(scenario, "p99, µs", 0.99));
      }
      case RECOVERY -> columns.add(quantile(scenario, "seconds", 0.5));
      case HELD_LOCKS ->
          List.of(Metric.COMMANDS, Metric.HEAP, Metric.THREADS)
              .forEach(metric -> columns.add(median(scenario, metric)));
      default -> {
        columns.add(median(scenario, Metric.PAIRS));
        columns.add(
            new Column(
                "lowest – highest",
                id ->
                    show(
                        scenario,
                        id,
                        Metric.PAIRS,
                        sample ->
                            Metric.PAIRS.show(sample.least())
                                + " – "
                                + Metric.PAIRS.show(sample.most()))));
      }
    }
    if (scenario.isThroughput()) {
      columns.add(median(scenario, Metric.CLIENT_CPU));
    }
    if (scenario == Scenario.PROCESSES) {
      columns.add(median(scenario, Metric.UNFAIRNESS));
    }
    for (String yardstick : yardsticks) {
      columns.add(
          new Column(
              "÷ " + suite.entrant(yardstick).label(), id -> ratio(scenario, id, yardstick)));
    }
    return columns;
  }

  private Column median(Scenario scenario, Metric metric) {
    return new Column(
        metric.unit(), id -> show(scenario, id, metric, sample -> metric.show(sample.median())));
  }

  private Column quantile(Scenario scenario, String heading, double part) {
    Metric metric = scenario.metric();
    return new Column(
        heading, id -> show(scenario, id, metric, sample -> metric.show(sample.quantile(part))));
  }

  private String show(
      Scenario scenario, String id, Metric metric, Function<Sample, String> formatted) {
    return results.find(scenario, id, metric).map(formatted).orElse("–");
  }

  private String ratio(Scenario scenario, String id, String yardstick) {
    Optional<Sample> other = results.find(scenario, yardstick, scenario.metric());
    return show(
        scenario,
        id,
        scenario.metric(),
        sample -> Aim.times(sample.median() / other.orElseThrow().median()));
  }

  private void aims() {
    List<Aim> aims = suite.aims().stream().filter(aim -> results.has(aim.scenario())).toList();
    if (aims.isEmpty()) {
      return;
    }
    line("### Aims");
    line("");
    line("| | competitor | scenario | aim | measured |");
    line("|---|---|---|---|---|");
    for (Aim aim : aims) {
      Optional<Aim.Verdict> verdict = aim.judge(results);
      row(
          verdict.map(each -> each.met() ? "met" : "**missed**").orElse("**not measured**"),
          List.of(
              suite.entrant(aim.entrant()).label(),
              aim.scenario().title(),
              aim.describe(suite),
              verdict.map(Aim.Verdict::numbers).orElse("–")));
    }
    line("");
  }

  private void terms() {
    line("### Terms");
    line("");
    for (Entrant entrant : suite.entrants()) {
      String reason = results.excluded().get(entrant.id());
      line(
          "- "
              + entrant.label()
              + ": "
              + (reason == null ? entrant.terms() : "**not measured**: " + reason));
    }
    line("");
  }

  private void row(String first, List<String> cells) {
    line("| " + first + " | " + String.join(" | ", cells) + " |");
  }

  private void line(String line) {
    text.append(line).append('\n');
  }
}
