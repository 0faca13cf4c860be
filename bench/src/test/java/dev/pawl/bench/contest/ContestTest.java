package dev.pawl.bench.contest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The smallest run of everything, so that it still runs when somebody needs it. */
class ContestTest {

  private static final Plan SMOKE =
      new Plan(
          1,
          Duration.ofMillis(30),
          2,
          2,
          100,
          false,
          EnumSet.of(Scenario.ONE_THREAD, Scenario.PROCESSES, Scenario.HAND_OVER));

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();

  private Results run(String suite) {
    PrintStream out = new PrintStream(log, true, StandardCharsets.UTF_8);
    return new Contest(Suite.named(suite), SMOKE, out).run();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sqlite", "redis"})
  void everyCompetitorExcludesAndIsMeasuredInProcessesOfItsOwn(String suite) {
    Results results = run(suite);

    assertThat(results.excluded()).isEmpty();
    for (Entrant entrant : results.suite().entrants()) {
      for (Scenario scenario : SMOKE.scenarios()) {
        if (entrant.scenarios().contains(scenario)) {
          assertThat(results.failures(scenario)).doesNotContainKey(entrant.id());
          assertThat(results.find(scenario, entrant.id(), scenario.metric()))
              .as("%s of %s", scenario, entrant)
              .isPresent();
        }
      }
    }
    String report = Report.of(results);
    assertThat(report).contains("| Pawl", "### Aims");
    assertThat(JsonReport.of(results)).contains("\"median\": ");
    assertThat(log.toString(StandardCharsets.UTF_8)).contains("left");
  }

  @Test
  void whoDoesNotExcludeIsNotMeasured() {
    Results results = run("broken");

    assertThat(results.excluded()).hasSize(3);
    assertThat(results.excluded().get("generous")).startsWith("does not exclude");
    assertThat(results.excluded().get("stingy")).startsWith("does not lock");
    assertThat(results.excluded().get("unreachable")).contains("nobody is nowhere");
    assertThat(results.find(Scenario.ONE_THREAD, "generous", Metric.PAIRS)).isEmpty();
    assertThat(Report.of(results)).contains("generous: **not measured**: does not exclude");
  }
}
