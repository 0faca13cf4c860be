package dev.pawl.testkit;

import java.util.function.Supplier;

/** The stores that are broken on purpose, and the case of the SPI layer that must notice. */
enum BrokenStore {
  GRANTS_EVERYBODY(BrokenGrants.GrantsEverybody::new, "Exclusion.aHeldNameIsRefusedToEveryoneElse"),
  LOOKS_THEN_TAKES(BrokenGrants.LooksThenTakes::new, "Exclusion.ofManyWhoAskAtOnceOneIsGranted"),
  GIVES_THE_TOKEN_OF_AN_EXPIRED_HOLDER_AGAIN(
      BrokenGrants.GivesTheTokenOfAnExpiredHolderAgain::new, "Tokens.tokensRiseAfterExpiry"),
  COUNTS_TOKENS_IN_THE_ROW(
      BrokenGrants.CountsTokensInTheRow::new, "Tokens.tokensRiseAfterTheNameWasForgotten"),
  RESERVES_NO_SPAN(
      BrokenGrants.ReservesNoSpan::new, "Tokens.aSpanOfAHolderThatDiedIsNotGivenOutAgain"),
  KEEPS_WHAT_WAS_NOT_USED_OF_A_SPAN(
      BrokenGrants.KeepsWhatWasNotUsedOfASpan::new, "Tokens.whatWasNotUsedOfASpanIsGivenBack"),
  TAKES_A_REPEATED_ACQUIRE_FOR_A_NEW_ONE(
      BrokenGrants.TakesARepeatedAcquireForANewOne::new,
      "Repetition.aRepeatedAcquireGetsTheSameGrant"),
  ADMITS_ONE_MORE(BrokenGrants.AdmitsOneMore::new, "Permits.asManyAreGrantedAsThereArePermits"),
  HALVES_LEASES(
      BrokenGrants.HalvesLeases::new, "Expiry.aLeaseThatIsNotRenewedEndsAndNotBeforeItsTime"),
  JUDGES_BY_THE_CLIENTS_CLOCK(
      BrokenGrants.JudgesByTheClientsClock::new, "Expiry.everyInstanceReadsTheSameClock"),
  BRINGS_EXPIRED_CLAIMS_BACK(
      BrokenGrants.BringsExpiredClaimsBack::new, "Expiry.aRenewalDoesNotBringAnExpiredClaimBack"),
  SHORTENS_A_LEASE_BY_A_LATE_RENEWAL(
      BrokenGrants.ShortensALeaseByALateRenewal::new,
      "Renewal.aLateCopyOfARenewalDoesNotShortenTheLease"),
  EVICTS_WHOEVER_HOLDS_IT(
      BrokenGrants.EvictsWhoeverHoldsIt::new, "Eviction.anotherTokenRemovesNobody"),
  SAYS_BUSY_WHEN_IT_CANNOT_BE_REACHED(
      BrokenGrants.SaysBusyWhenItCannotBeReached::new,
      "Outages.aClosedStoreFailsAndDoesNotSayBusy"),
  LEAVES_A_REFUSED_CLAIM_IN_THE_QUEUE(
      BrokenGrants.LeavesARefusedClaimInTheQueue::new, "Exclusion.aRefusedClaimIsForgotten"),
  LETS_EVERYBODY_OVERTAKE(
      BrokenGrants.LetsEverybodyOvertake::new, "Sharing.aReaderDoesNotOvertakeAFairWriter"),
  RELEASES_FOR_ANYBODY(
      BrokenQueues.ReleasesForAnybody::new, "Strangers.aStrangersReleaseChangesNothing"),
  RENEWS_FOR_ANYBODY(
      BrokenQueues.RenewsForAnybody::new, "Strangers.aStrangersRenewalChangesNothing"),
  TELLS_NOBODY(BrokenQueues.TellsNobody::new, "Signals.aReleaseTellsTheNextHolder"),
  TELLS_EVERYBODY_WHO_WAITS(
      BrokenQueues.TellsEverybodyWhoWaits::new, "Signals.theNextHolderIsToldOnceAndNobodyElseIs"),
  LOSES_WAKE_UPS(BrokenQueues.LosesWakeUps::new, "Signals.aGrantNobodyWasToldOfIsFoundByAPoll"),
  WAITS_FOR_DEAD_WAITERS(
      BrokenQueues.WaitsForDeadWaiters::new,
      "DeadWaiters.aGrantThatNobodyConfirmsGoesToTheNextAfterTheClaimWindow"),
  KEEPS_DEAD_WAITERS(
      BrokenQueues.KeepsDeadWaiters::new,
      "DeadWaiters.aWaiterThatShowsNoSignOfLifeDropsOutOfTheQueue"),
  BIDS_NOBODY_SHOW_LIFE(
      BrokenQueues.BidsNobodyShowLife::new,
      "DeadWaiters.aWriterThatDiedFarBackKeepsReadersWaitingNoLonger"),
  GRANTS_AFTER_A_CANCEL(
      BrokenQueues.GrantsAfterACancel::new, "Leaving.aCancelledWaiterIsNeverGranted"),
  KEEPS_A_GRANT_THAT_WAS_CANCELLED(
      BrokenQueues.KeepsAGrantThatWasCancelled::new,
      "Leaving.aCancelThatComesAfterTheGrantReleasesIt"),
  FORGETS_THAT_A_CLAIM_HAS_ENDED(
      BrokenMemories.ForgetsThatAClaimHasEnded::new,
      "Repetition.aLateAcquireAfterACancelTakesNothing"),
  DROPS_A_WAITER_FOR_A_LATE_COPY(
      BrokenQueues.DropsAWaiterForALateCopy::new,
      "Repetition.aLateCopyThatWouldNotHaveWaitedKeepsThePlaceInTheQueue"),
  SERVES_THE_LAST_FIRST(
      BrokenQueues.ServesTheLastFirst::new, "Queueing.waitersAreGrantedInTheOrderTheyCame"),
  LETS_A_YIELD_KEEP_ITS_PLACE(
      BrokenQueues.LetsAYieldKeepItsPlace::new, "Queueing.whoeverYieldsGoesBehindEverybody"),
  MIXES_UP_BATCHES(BrokenQueues.MixesUpBatches::new, "Renewal.aBatchIsAnsweredInItsOrder"),
  SETS_BACK_WHATEVER_MARK(
      BrokenMemories.SetsBackWhateverMark::new, "Marks.aMarkThatHasChangedIsNotSetBack"),
  LETS_MARKS_GO_BACK(BrokenMemories.LetsMarksGoBack::new, "Marks.aMarkNeverGoesBack"),
  FORGETS_MARKS(BrokenMemories.ForgetsMarks::new, "Marks.aMarkThatWasReachedIsDone"),
  FORGETS_THE_MARKS_OF_IDLE_NAMES(
      BrokenMemories.ForgetsTheMarksOfIdleNames::new, "Marks.aMarkIsKeptWhenNobodyUsesTheName"),
  TAKES_A_FAILED_RUN_FOR_DONE(
      BrokenMemories.TakesAFailedRunForDone::new, "Marks.aMarkThatWasOnlyAskedForIsNotReached"),
  FORGETS_THE_MARK_OF_A_YIELD(
      BrokenMemories.ForgetsTheMarkOfAYield::new, "Marks.aYieldReachesItsMarkAndKeepsTheName"),
  GRANTS_A_WAITER_WHOSE_MARK_IS_REACHED(
      BrokenMemories.GrantsAWaiterWhoseMarkIsReached::new,
      "Marks.whoeverWaitsForAReachedMarkIsDismissedAndTold"),
  DISMISSES_NOBODY_ALOUD(
      BrokenMemories.DismissesNobodyAloud::new,
      "Marks.whoeverWaitsForAReachedMarkIsDismissedAndTold"),
  DISMISSES_THOSE_WHO_WAIT_FOR_LATER_MARKS(
      BrokenMemories.DismissesThoseWhoWaitForLaterMarks::new,
      "Marks.whoeverWaitsForALaterMarkIsGranted"),
  READS_THE_CLIENTS_CLOCK(
      BrokenMemories.ReadsTheClientsClock::new, "Clocks.itIsTheClockThatGrantsAndRefusalsShow"),
  RAISES_THE_MARK_FOR_ANYBODY(
      BrokenMemories.RaisesTheMarkForAnybody::new, "Marks.aClaimThatHoldsNothingReachesNothing"),
  COMPARES_NAMES_BY_COLLATION(
      BrokenMemories.ComparesNamesByCollation::new, "Names.namesThatLookAlikeAreDifferentNames"),
  CUTS_LONG_NAMES(BrokenMemories.CutsLongNames::new, "Names.namesOf255BytesAreToldApartByTheLast"),
  TAKES_A_PREFIX_FOR_A_PATTERN(
      BrokenMemories.TakesAPrefixForAPattern::new, "Inspection.aPrefixIsNotAPattern"),
  COUNTS_IDLE_NAMES_TOWARDS_THE_LIMIT(
      BrokenMemories.CountsIdleNamesTowardsTheLimit::new,
      "Inspection.namesInUseAreFoundBehindIdleOnes"),
  PROMISES_A_QUEUE_IT_DOES_NOT_HAVE(
      BrokenQueues.PromisesAQueueItDoesNotHave::new,
      "Queueing.aWaiterIsToldHowManyAreAheadAndWhoHoldsTheName"),
  CUTS_LONG_QUEUES(
      BrokenQueues.CutsLongQueues::new, "Crowds.aCrowdIsQueuedAsItCameAndServedToTheLast"),
  CLOSES_THE_SIGNALS_OF_OTHERS(
      BrokenQueues.ClosesTheSignalsOfOthers::new,
      "ShortLived.instancesThatComeAndGoTakeNothingFromThoseThatStay"),
  REMEMBERS_EVERY_INSTANCE(
      BrokenMemories.RemembersEveryInstance::new,
      "ShortLived.nothingIsLeftOfInstancesThatLiveForAMoment"),
  LOOKS_THEN_WRITES_A_REGISTER(
      BrokenRegisters.LooksThenWrites::new, "RegisterKeeping.ofACrowdThatCountsNobodysCountIsLost"),
  COUNTS_ANEW_AFTER_A_REMOVAL(
      BrokenRegisters.CountsAnewAfterARemoval::new,
      "RegisterKeeping.aValueThatWasTakenAwayLeavesItsVersion"),
  TAKES_THE_SAME_TEXT_FOR_ONES_OWN(
      BrokenRegisters.TakesTheSameTextForOnesOwn::new,
      "RegisterKeeping.ofTwoWhoWriteTheSameTextOneIsTold"),
  FORGETS_REGISTERS(
      BrokenRegisters.ForgetsRegisters::new, "RegisterKeeping.aRegisterDoesNotExpire"),
  NEVER_FORGETS(BrokenMemories.NeverForgets::new, "Leftovers.nothingIsLeftOfReleasedNames");

  // A constructor reference: it does not change, though its type cannot say so.
  @SuppressWarnings("ImmutableEnumChecker")
  final Supplier<? extends BendableStore> store;

  final String caughtBy;

  BrokenStore(Supplier<? extends BendableStore> store, String caughtBy) {
    this.store = store;
    this.caughtBy = caughtBy;
  }
}
