package dev.pawl.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import dev.pawl.Pawl;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard and the alerts ask for meters, tags and values that there are. */
class DashboardTest {

  private static final Path DOCS = Path.of("../../docs/metrics");
  private static final Pattern SERIES = Pattern.compile("(pawl_\\w+)(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

  /** What Prometheus would see: the tags of each series, and the values of each tag. */
  private static Map<String, Map<String, Set<String>>> scraped() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (Pawl pawl = Pawl.connect("memory:")) {
      new PawlMetrics(pawl).withNames("sms").bindTo(registry);
      Map<String, Map<String, Set<String>>> all = new HashMap<>();
      for (String line : registry.scrape().lines().toList()) {
        Matcher series = SERIES.matcher(line);
        if (!line.startsWith("#") && series.lookingAt()) {
          Map<String, Set<String>> tags =
              all.computeIfAbsent(series.group(1), name -> new HashMap<>());
          labels(series.group(2))
              .forEach(
                  label ->
                      tags.computeIfAbsent(label.group(1), tag -> new HashSet<>())
                          .add(label.group(3)));
        }
      }
      return all;
    }
  }

  private static List<MatchResult> labels(String braces) {
    return braces == null ? List.of() : LABEL.matcher(braces).results().toList();
  }

  private static List<String> dashboard() throws Exception {
    List<String> found = new ArrayList<>();
    collect(
        JsonParser.parseString(Files.readString(DOCS.resolve("grafana-dashboard.json"))), found);
    return found;
  }

  private static void collect(JsonElement element, List<String> found) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(each -> collect(each, found));
    } else if (element.isJsonObject()) {
      element
          .getAsJsonObject()
          .asMap()
          .forEach(
              (key, value) -> {
                if (key.equals("expr")) {
                  found.add(value.getAsString());
                } else {
                  collect(value, found);
                }
              });
    }
  }

  private static List<String> alerts() throws Exception {
    return Files.readString(DOCS.resolve("alerts.yml"))
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("expr:"))
        .map(line -> line.substring("expr:".length()).strip())
        .toList();
  }

  private static void check(List<String> expressions, Set<String> used) {
    Map<String, Map<String, Set<String>>> scraped = scraped();
    for (String expression : expressions) {
      List<MatchResult> asked = SERIES.matcher(expression).results().toList();
      assertThat(asked).as(expression).isNotEmpty();
      for (MatchResult series : asked) {
        String name = series.group(1);
        used.add(name);
        assertThat(scraped).as(expression).containsKey(name);
        for (MatchResult label : labels(series.group(2))) {
          if (label.group(1).equals("instance") || label.group(3).startsWith("$")) {
            continue; // Prometheus's own, and the dashboard's variables.
          }
          assertThat(scraped.get(name)).as(expression).containsKey(label.group(1));
          assertThat(scraped.get(name).get(label.group(1)))
              .as(expression)
              .contains(label.group(3).split("\\|"));
        }
      }
    }
  }

  @Test
  void theDashboardAsksForWhatThereIsAndShowsAllOfIt() throws Exception {
    Set<String> used = new TreeSet<>();
    check(dashboard(), used);
    Set<String> meters = new TreeSet<>();
    scraped().keySet().forEach(name -> meters.add(withoutSuffix(name)));
    Set<String> shown = new TreeSet<>();
    used.forEach(name -> shown.add(withoutSuffix(name)));
    assertThat(shown).isEqualTo(meters);
  }

  private static String withoutSuffix(String series) {
    return series.replaceAll("_seconds_(count|sum|max)$|_total$", "");
  }

  @Test
  void thereAreThreeAlertsOfWhatThereIs() throws Exception {
    List<String> expressions = alerts();
    assertThat(expressions).hasSize(3);
    check(expressions, new TreeSet<>());
  }

  @Test
  void aMeterThatDoesNotExistIsNoticed() {
    assertThat(scraped()).doesNotContainKey("pawl_invented_total");
    assertThat(scraped().get("pawl_store_calls_total").get("outcome"))
        .containsExactlyInAnyOrder("ok", "unavailable", "unknown", "failed");
  }
}
