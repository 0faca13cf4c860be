package dev.pawl.bench.contest;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Results as JSON: every single value, for other programs. */
public final class JsonReport {

  private JsonReport() {}

  /** Returns the report of one run. */
  public static String of(Results results) {
    Suite suite = results.suite();
    List<String> figures = new ArrayList<>();
    for (Scenario scenario : Scenario.values()) {
      for (Entrant entrant : suite.entrants()) {
        for (Metric metric : Metric.values()) {
          results
              .find(scenario, entrant.id(), metric)
              .ifPresent(sample -> figures.add(figure(scenario, entrant, metric, sample)));
        }
        String failure = results.failures(scenario).get(entrant.id());
        if (failure != null) {
          figures.add(
              object(
                  "scenario", quoted(scenario.id()),
                  "competitor", quoted(entrant.id()),
                  "failure", quoted(failure)));
        }
      }
    }
    List<String> aims = new ArrayList<>();
    for (Aim aim : suite.aims()) {
      aim.judge(results).ifPresent(verdict -> aims.add(aim(suite, aim, verdict)));
    }
    return object(
            "conditions", strings(results.conditions()),
            "excluded", strings(results.excluded()),
            "figures", array(figures),
            "aims", array(aims))
        + "\n";
  }

  private static String figure(Scenario scenario, Entrant entrant, Metric metric, Sample sample) {
    return object(
        "scenario", quoted(scenario.id()),
        "competitor", quoted(entrant.id()),
        "unit", quoted(metric.unit()),
        "median", "" + sample.median(),
        "values", sample.sorted().toString());
  }

  private static String aim(Suite suite, Aim aim, Aim.Verdict verdict) {
    return object(
        "scenario", quoted(aim.scenario().id()),
        "competitor", quoted(aim.entrant()),
        "aim", quoted(aim.describe(suite)),
        "measured", quoted(verdict.numbers()),
        "met", "" + verdict.met());
  }

  private static String strings(Map<String, String> map) {
    return map.entrySet().stream()
        .map(entry -> quoted(entry.getKey()) + ": " + quoted(entry.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /** Names and values, in turn. */
  private static String object(String... namesAndValues) {
    List<String> members = new ArrayList<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      members.add(quoted(namesAndValues[i]) + ": " + namesAndValues[i + 1]);
    }
    return "{" + String.join(", ", members) + "}";
  }

  private static String array(List<String> values) {
    return values.stream().collect(Collectors.joining(",\n  ", "[\n  ", "\n]"));
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
