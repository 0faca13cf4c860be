package dev.pawl.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
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
  private static final Pattern GROUPED = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern SHOWN = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");
  private static final Pattern CHANGES = Pattern.compile("(rate|increase)\\((pawl_\\w+)");
  private static final Pattern COUNTER = Pattern.compile("pawl_\\w+(_total|_seconds_(count|sum))");
  private static final Pattern VARIABLE = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

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

  /** What is asked, and the text that is shown with it. */
  private record Query(String expression, String text) {}

  private static JsonObject json() throws Exception {
    return JsonParser.parseString(Files.readString(DOCS.resolve("grafana-dashboard.json")))
        .getAsJsonObject();
  }

  private static List<Query> dashboard() throws Exception {
    List<Query> found = new ArrayList<>();
    for (JsonElement panel : json().getAsJsonArray("panels")) {
      for (JsonElement target : panel.getAsJsonObject().getAsJsonArray("targets")) {
        JsonObject query = target.getAsJsonObject();
        found.add(
            new Query(query.get("expr").getAsString(), query.get("legendFormat").getAsString()));
      }
    }
    return found;
  }

  private static List<Query> alerts() throws Exception {
    List<Query> found = new ArrayList<>();
    for (String alert : Files.readString(DOCS.resolve("alerts.yml")).split("- alert: ", -1)) {
      alert
          .lines()
          .map(String::strip)
          .filter(line -> line.startsWith("expr:"))
          .forEach(line -> found.add(new Query(line.substring("expr:".length()).strip(), alert)));
    }
    return found;
  }

  private static void check(List<Query> queries, Set<String> used) {
    Map<String, Map<String, Set<String>>> scraped = scraped();
    for (Query query : queries) {
      String expression = query.expression();
      List<MatchResult> asked = SERIES.matcher(expression).results().toList();
      assertThat(asked).as(expression).isNotEmpty();
      for (MatchResult series : asked) {
        String name = series.group(1);
        used.add(name);
        assertThat(scraped).as(expression).containsKey(name);
        Map<String, Set<String>> tags = scraped.get(name);
        for (MatchResult label : labels(series.group(2))) {
          if (label.group(1).equals("instance") || label.group(3).startsWith("$")) {
            continue; // Prometheus's own, and the dashboard's variables.
          }
          assertThat(tags).as(expression).containsKey(label.group(1));
          assertThat(tags.get(label.group(1))).as(expression).contains(label.group(3).split("\\|"));
        }
        assertThat(tags.keySet()).as(expression).containsAll(grouped(expression));
      }
      checkText(query);
      checkFunctions(query, asked);
    }
  }

  private static Set<String> grouped(String expression) {
    Set<String> found = new HashSet<>();
    GROUPED
        .matcher(expression)
        .results()
        .forEach(each -> found.addAll(List.of(each.group(1).split(",\\s*"))));
    found.remove("instance");
    return found;
  }

  /** A label is shown only if the result still has it. */
  private static void checkText(Query query) {
    for (MatchResult label : SHOWN.matcher(query.text()).results().toList()) {
      assertThat(query.expression()).containsPattern("by \\([^)]*" + label.group(1) + "[^)]*\\)");
    }
  }

  /** What only grows is asked how much, and nothing else is. */
  private static void checkFunctions(Query query, List<MatchResult> asked) {
    List<String> changes =
        CHANGES.matcher(query.expression()).results().map(each -> each.group(2)).toList();
    for (MatchResult series : asked) {
      assertThat(changes.contains(series.group(1)))
          .as(query.expression())
          .isEqualTo(COUNTER.matcher(series.group(1)).matches());
    }
  }

  @Test
  void theVariableOfTheDashboardAsksForWhatThereIs() throws Exception {
    for (JsonElement variable : json().getAsJsonObject("templating").getAsJsonArray("list")) {
      if (variable.getAsJsonObject().get("type").getAsString().equals("query")) {
        Matcher asked = VARIABLE.matcher(variable.getAsJsonObject().get("query").getAsString());
        assertThat(asked.matches()).isTrue();
        assertThat(scraped()).containsKey(asked.group(1));
        assertThat(asked.group(2)).isEqualTo("instance");
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
    List<Query> queries = alerts();
    assertThat(queries).hasSize(3);
    check(queries, new TreeSet<>());
  }

  @Test
  void aMeterThatDoesNotExistIsNoticed() {
    assertThat(scraped()).doesNotContainKey("pawl_invented_total");
    assertThat(scraped().get("pawl_store_calls_total").get("outcome"))
        .containsExactlyInAnyOrder("ok", "unavailable", "unknown", "failed");
  }
}
