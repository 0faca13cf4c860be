package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.LockStore;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite asks for nothing that only a store in memory can do. */
class OtherKindsTest {

  /** A store, and the way to it. */
  private record Kind(Supplier<? extends BendableStore> store, UnaryOperator<LockStore> way) {}

  private static final Map<String, Kind> KINDS =
      Map.of(
          "late", new Kind(BendableStore::new, OtherKinds.Late::new),
          "blocking", new Kind(BendableStore::new, OtherKinds.Blocking::new),
          "sharded", new Kind(OtherKinds.Sharded::new, OtherKinds.Late::new),
          "modest", new Kind(ModestStore::new, OtherKinds.Late::new));

  private static final SideBySide RUNS = new SideBySide();

  @BeforeAll
  static void startAll() {
    KINDS.forEach(
        (name, kind) -> {
          RUNS.start(name + " spi", () -> Trial.run(kind.store, kind.way, "spi"));
          RUNS.start(name + " api", () -> Trial.run(kind.store, kind.way, "api"));
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
