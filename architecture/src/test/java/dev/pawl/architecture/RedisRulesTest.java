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

/** Every border inside of {@code pawl-redis} is kept, and its rule catches who crosses it. */
class RedisRulesTest {

  private static final String FIXTURE = "dev.pawl.architecture.fixture.redis";

  private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(FIXTURE);
  private static final JavaClasses REDIS =
      new ClassFileImporter().importPaths(Module.named("pawl-redis").classes());

  static Stream<Arguments> rules() {
    return Stream.of(
        rule(rules -> rules.clientsDoNotSeeEachOther("lettuce"), "lettuce.UsesTheOtherClient"),
        rule(rules -> rules.clientsDoNotSeeEachOther("jedis"), "jedis.UsesTheOtherClient"),
        rule(rules -> rules.clientsKnowNoStore("lettuce"), "lettuce.UsesTheStore"),
        rule(rules -> rules.clientsKnowNoStore("jedis"), "jedis.UsesTheStore"),
        rule(rules -> rules.knowsNoClient("store"), "store.UsesAClient"),
        rule(rules -> rules.knowsNoClient("redlock"), "redlock.UsesAClient"),
        rule(RedisRules::theStoreOnOneServerKnowsNoRedlock, "store.UsesRedlock"),
        rule(RedisRules::theFeedKnowsNeitherClientNorStore, "feed.UsesTheStore"),
        rule(RedisRules::thePortKnowsNothingAboveIt, "port.UsesTheFeed"));
  }

  private static Arguments rule(Function<RedisRules, ArchRule> rule, String broken) {
    return Arguments.of(rule, broken);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("rules")
  void isKept(Function<RedisRules, ArchRule> rule, String broken) {
    rule.apply(new RedisRules("dev.pawl.redis")).check(REDIS);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("rules")
  void catchesWhoBreaksIt(Function<RedisRules, ArchRule> rule, String broken) {
    assertThatThrownBy(() -> rule.apply(new RedisRules(FIXTURE)).check(BROKEN))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(broken);
  }
}
