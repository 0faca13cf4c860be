package dev.pawl.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.pawl.bench.contest.Plan;
import dev.pawl.bench.contest.Scenario;
import dev.pawl.bench.contest.Suite;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ArgumentsTest {

  private static Arguments parse(String line) {
    return Arguments.parse(line.split(" ", -1));
  }

  @Test
  void aSuiteALengthAndScenariosAreUnderstood() {
    Arguments arguments = parse("sql --quick --only one-name --only hand-over");

    assertThat(arguments.suites()).containsExactly("sqlite", "postgresql", "mariadb");
    assertThat(arguments.plan().rounds()).isEqualTo(Plan.QUICK.rounds());
    assertThat(arguments.plan().scenarios())
        .containsExactlyInAnyOrder(Scenario.ONE_NAME, Scenario.HAND_OVER);
    assertThat(parse("redis").plan()).isEqualTo(Plan.STANDARD);
  }

  @ParameterizedTest
  @CsvSource({
    "etcd, no suite \"etcd\"",
    "redis --fast, no option \"--fast\"",
    "redis --quick --full, either --quick or --full",
    "redis --only, --only needs a scenario",
    "redis --only some, no scenario \"some\"",
  })
  void whatIsNotUnderstoodIsRefusedByName(String line, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> parse(line))
        .withMessageStartingWith(message);
  }

  @ParameterizedTest
  @EnumSource
  void theHelpNamesEveryScenario(Scenario scenario) {
    assertThat(Arguments.HELP).contains("\n  " + scenario.id() + " ");
  }

  @Test
  void theHelpNamesEverySuite() {
    assertThat(ServiceLoader.load(Suite.class))
        .filteredOn(suite -> !suite.name().equals("broken"))
        .allSatisfy(suite -> assertThat(Arguments.HELP).contains(suite.name()));
  }
}
