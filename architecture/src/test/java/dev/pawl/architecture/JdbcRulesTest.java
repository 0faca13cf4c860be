package dev.pawl.architecture;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every border inside of {@code pawl-jdbc} is kept, and its rule catches who crosses it. */
class JdbcRulesTest {

  private static final String FIXTURE = "dev.pawl.architecture.fixture.jdbc";

  private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(FIXTURE);
  private static final JavaClasses JDBC =
      new ClassFileImporter().importPaths(Module.named("pawl-jdbc").classes());

  static Stream<Arguments> rules() {
    return Stream.of(
        rule(JdbcRules::onlyTheRunnerPrepares, "rowlock.PreparesByItself"),
        rule(JdbcRules::nobodyNamesADialect, "lease.NamesADialect"),
        rule(JdbcRules::nobodyBranchesOnTheDatabase, "jdbc.BranchesOnTheDatabase"),
        rule(rules -> rules.strategiesDoNotSeeEachOther("lease", "rowlock"), "lease.UsesARowLock"),
        rule(rules -> rules.strategiesDoNotSeeEachOther("rowlock", "lease"), "rowlock.UsesALease"),
        rule(JdbcRules::wakingKnowsNoStrategy, "wake.UsesALease"),
        rule(JdbcRules::dialectsKnowNothingAboveThem, "dialect.UsesConnections"));
  }

  private static Arguments rule(Function<JdbcRules, ArchRule> rule, String broken) {
    return Arguments.of(rule, broken);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("rules")
  void isKept(Function<JdbcRules, ArchRule> rule, String broken) {
    rule.apply(new JdbcRules("dev.pawl.jdbc")).check(JDBC);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("rules")
  void catchesWhoBreaksIt(Function<JdbcRules, ArchRule> rule, String broken) {
    assertThatThrownBy(() -> rule.apply(new JdbcRules(FIXTURE)).check(BROKEN))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(broken);
  }
}
