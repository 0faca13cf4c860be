package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  /** The layer above notices as well, where it is the user who would. */
  @ParameterizedTest
  @CsvSource({
    "GRANTS_EVERYBODY, Leases.aLeaseIsHeldUntilItIsClosed",
    "ADMITS_ONE_MORE, Semaphores.asManyLeasesAreOutAsThereArePermits",
    "EVICTS_WHOEVER_HOLDS_IT, Operating.aForcedReleaseOfAnotherTokenChangesNothing",
    "LETS_EVERYBODY_OVERTAKE, ReadWriteLocks.aReaderDoesNotOvertakeAWaitingWriter",
    "TELLS_NOBODY, Cost.aHandOverIsTheReleaseAndASignal",
    "FORGETS_THAT_A_CLAIM_HAS_ENDED, Unreliable.aLateCopyOfAnAcquireTakesNothing",
    "SERVES_THE_LAST_FIRST, Contending.nodesAreServedInTheOrderTheyCame",
    "COMPARES_NAMES_BY_COLLATION, BadInput.namesThatDifferInAByteAreDifferentLocks",
    "NEVER_FORGETS, Closing.whatTheNodeHeldIsFreeAtOnce"
  })
  void aUserWouldNotice(BrokenStore broken, String caughtBy) {
    assertThat(UnderTest.runCase(BendableStore::new, caughtBy).passed()).containsExactly(caughtBy);

    assertThat(UnderTest.runCase(broken.store, caughtBy).failed()).containsExactly(caughtBy);
  }

  @Test
  void theStoreTheyAreMadeOfIsSound() {
    UnderTest.Result result = UnderTest.run(BendableStore::new, "spi");

    assertThat(result.reasons()).isEmpty();
    assertThat(result.skipped()).isEmpty();
    assertThat(result.passed()).hasSizeGreaterThan(140);
  }

  @ParameterizedTest
  @CsvSource({"spi", "api"})
  void aStoreThatCanDoLittlePassesByRefusing(String layer) {
    UnderTest.Result result = UnderTest.run(ModestStore::new, layer);

    assertThat(result.reasons()).isEmpty();
    assertThat(result.skipped()).isEmpty();
  }

  @Test
  void aStoreThatPromisesTooMuchIsCaught() {
    UnderTest.Result result = UnderTest.run(BrokenQueues.PromisesAQueueItDoesNotHave::new, "spi");

    assertThat(result.failed()).contains("Queueing.waitersAreGrantedInTheOrderTheyCame");
  }
}
