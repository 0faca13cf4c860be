package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite asks for nothing that only a store in memory can do. */
class OtherKindsTest {

  private static final Map<String, Supplier<? extends BendableStore>> KINDS =
      Map.of(
          "late", OtherKinds.Late::new,
          "blocking", OtherKinds.Blocking::new,
          "sharded", OtherKinds.Sharded::new,
          "modest", ModestStore::new);

  private static final SideBySide RUNS = new SideBySide();

  @BeforeAll
  static void startAll() {
    KINDS.forEach(
        (kind, store) -> {
          RUNS.start(kind + " spi", () -> Trial.run(store, "spi"));
          RUNS.start(kind + " api", () -> Trial.run(store, "api"));
        });
  }

  @AfterAll
  static void end() {
    RUNS.close();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aSoundStorePassesEveryCaseOfTheSpi(String kind) throws InterruptedException {
    passes(RUNS.result(kind + " spi"), 140);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aSoundStorePassesEveryCaseOfTheApi(String kind) throws InterruptedException {
    passes(RUNS.result(kind + " api"), 95);
  }

  private static void passes(Trial.Result result, int atLeast) {
    assertThat(result.reasons()).isEmpty();
    assertThat(result.skipped()).isEmpty();
    assertThat(result.passed()).hasSizeGreaterThanOrEqualTo(atLeast);
  }

  static Set<String> kinds() {
    return KINDS.keySet();
  }
}
