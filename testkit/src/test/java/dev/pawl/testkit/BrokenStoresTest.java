package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The suite is worth something only if it fails: each broken store is caught by a case by name. */
class BrokenStoresTest {

  private static final SideBySide RUNS = new SideBySide();

  @BeforeAll
  static void startAll() {
    for (BrokenStore broken : BrokenStore.values()) {
      RUNS.start(broken.name(), () -> Trial.runBroken(broken.store, "spi"));
    }
  }

  @AfterAll
  static void end() {
    RUNS.close();
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenStoreIsCaughtByTheCaseForIt(BrokenStore broken) throws InterruptedException {
    Trial.Result result = RUNS.result(broken.name());

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
    "FORGETS_MARKS, Jobs.aTickThatIsDoneSaysByWhomAndWhen",
    "FORGETS_MARKS, Ticks.nodesWhoseClocksDifferByMinutesRunEachCronTimeOnce",
    "FORGETS_MARKS, Ticks.nodesWhoseClocksDifferByMinutesRunEachPeriodOnce",
    "FORGETS_THE_MARK_OF_A_YIELD, Ticks.aNameIsKeptForAsLongAsToldThoughTheTickIsDone",
    "GRANTS_A_WAITER_WHOSE_MARK_IS_REACHED, Jobs.aStandbyIsDismissedWhenTheRunnerFinishes",
    "TAKES_A_FAILED_RUN_FOR_DONE, Jobs.aBodyThatThrowsIsRetriedElsewhereAsOftenAsTold",
    "READS_THE_CLIENTS_CLOCK, RunHistory.aRunIsReadWithEverythingThatIsKnownOfIt",
    "NEVER_FORGETS, Closing.whatTheNodeHeldIsFreeAtOnce"
  })
  void aUserWouldNotice(BrokenStore broken, String caughtBy) {
    assertThat(Trial.runCase(BendableStore::new, caughtBy).passed()).containsExactly(caughtBy);

    assertThat(Trial.runCase(broken.store, caughtBy).failed()).containsExactly(caughtBy);
  }

  @Test
  void theStoreTheyAreMadeOfIsSound() {
    Trial.Result result = Trial.run(BendableStore::new, "spi");

    assertThat(result.reasons()).isEmpty();
    assertThat(result.skipped()).isEmpty();
    assertThat(result.passed()).hasSizeGreaterThanOrEqualTo(140);
  }
}
