package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The suite is worth something only if it fails: each broken store is caught by a case by name. */
class BrokenStoresTest {

  @ParameterizedTest
  @EnumSource
  void aBrokenStoreIsCaughtByTheCaseForIt(BrokenStore broken) {
    UnderTest.Result result = UnderTest.run(broken.store, "spi");

    assertThat(result.failed()).contains(broken.caughtBy);
    assertThat(result.skipped()).isEmpty();
  }

  @Test
  void theStoreTheyAreMadeOfIsSound() {
    UnderTest.Result result = UnderTest.run(BendableStore::new, "spi");

    assertThat(result.failed()).isEmpty();
    assertThat(result.skipped()).isEmpty();
    assertThat(result.passed()).hasSizeGreaterThan(100);
  }
}
