package dev.pawl.machine;

import static dev.pawl.machine.Ask.SECOND;
import static dev.pawl.machine.Ask.exclusive;
import static dev.pawl.machine.Ask.permits;
import static dev.pawl.machine.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Shows by examples how claims end: released, yielded, cancelled, evicted, dismissed, and late. */
class LockMachineEndingTest {

  private static final OptionalLong NO_MARK = OptionalLong.empty();

  private final Scene scene = new Scene();

  // Release.

  @Test
  void aReleaseFreesTheNameOnce() {
    scene.granted(exclusive("a"));
    assertThat(scene.release("a")).isEqualTo(ReleaseReply.RELEASED);
    assertThat(scene.release("a")).isEqualTo(ReleaseReply.GONE);
    assertThat(scene.holders()).isEmpty();
  }

  @Test
  void aStrangersReleaseChangesNothing() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    LockState before = scene.state;
    assertThat(scene.release("c", before.lastToken(), OptionalLong.of(9), false))
        .isEqualTo(ReleaseReply.GONE);
    assertThat(scene.state).isEqualTo(before);
  }

  @Test
  void theReleaseOfAClaimThatWaitsTakesItOutOfTheQueue() {
    scene.granted(permits("a", 1, 2));
    scene.queued(permits("b", 2, 2));
    scene.queued(permits("c", 1, 2));
    assertThat(scene.release("b")).isEqualTo(ReleaseReply.GONE);
    assertThat(scene.told()).containsExactly("c");
  }

  @Test
  void theReleaseOfALostLeaseDoesNotTouchTheNextHolder() {
    scene.granted(exclusive("a").lease(SECOND));
    scene.queued(exclusive("b"));
    scene.pass(SECOND);
    assertThat(scene.release("a")).isEqualTo(ReleaseReply.GONE);
    assertThat(scene.holders()).containsExactly("b");
  }

  @Test
  void theTokensOfASpanThatWereNotUsedAreGivenBack() {
    long token = scene.granted(exclusive("a").span(64)).token();
    scene.release("a", token + 2, NO_MARK, false);
    assertThat(scene.granted(exclusive("b")).token()).isEqualTo(token + 3);
  }

  @Test
  void aReleaseThatDoesNotKnowWhatItUsedGivesNothingBack() {
    long token = scene.granted(exclusive("a").span(64)).token();
    scene.release("a", token - 1, NO_MARK, false);
    assertThat(scene.granted(exclusive("b").span(2)).token()).isEqualTo(token + 64);
    scene.release("b", token + 99, NO_MARK, false);
    assertThat(scene.granted(exclusive("c")).token()).isEqualTo(token + 66);
  }

  @Test
  void tokensBelowALaterGrantAreNotGivenBack() {
    long token = scene.granted(shared("a").span(64)).token();
    scene.granted(shared("b"));
    scene.release("a", token, NO_MARK, false);
    assertThat(scene.granted(shared("c")).token()).isEqualTo(token + 65);
  }

  // Yield.

  @Test
  void whoYieldsStandsBehindEverybodyWhoWaits() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    scene.queued(exclusive("c"));
    assertThat(scene.yieldGrant("a", exclusive("a2"))).isInstanceOf(AcquireReply.Queued.class);
    assertThat(scene.told()).containsExactly("b");
    assertThat(scene.queue()).containsExactly("c", "a2");
  }

  @Test
  void whoYieldsToNobodyGoesOnWithANewTokenAndTheFullLease() {
    Grant grant = scene.granted(exclusive("a"));
    scene.pass(SECOND);
    AcquireReply reply = scene.yieldGrant("a", exclusive("a2"));
    Grant next = ((AcquireReply.Granted) reply).grant();
    assertThat(next.token()).isGreaterThan(grant.token());
    assertThat(next.untilMicros()).isEqualTo(scene.now + Ask.LEASE);
    assertThat(scene.holders()).containsExactly("a2");
  }

  @Test
  void aYieldThatArrivesTwiceOrAfterTheLeaseQueuesOnce() {
    scene.granted(exclusive("a").lease(SECOND));
    scene.queued(exclusive("b"));
    scene.pass(SECOND);
    scene.yieldGrant("a", exclusive("a2"));
    scene.pass(SECOND);
    scene.yieldGrant("a", exclusive("a2"));
    assertThat(scene.holders()).containsExactly("b");
    assertThat(scene.queue()).containsExactly("a2");
  }

  @Test
  void aYieldGivesBackTokensAndRaisesTheMarkAsAReleaseDoes() {
    long token = scene.granted(exclusive("a").span(64)).token();
    Command.Release release = Scene.ending("a", token + 5, OptionalLong.of(3), false);
    scene.send(new Command.Yield(release, exclusive("a2").command()));
    assertThat(scene.state.holders().get(0).token()).isEqualTo(token + 6);
    assertThat(scene.state.mark()).hasValue(3);
  }

  @Test
  void aLateCopyOfTheEndOfATickKeepsNothing() {
    long token = scene.granted(exclusive("a")).token();
    Command.Release release = Scene.ending("a", token, OptionalLong.of(3), false);
    Command.Yield end = new Command.Yield(release, exclusive("a2").lease(SECOND).command());
    scene.send(end);
    long until = scene.state.holders().get(0).untilMicros();

    scene.pass(SECOND / 2);
    scene.send(end);
    assertThat(scene.state.holders().get(0).untilMicros()).as("no longer").isEqualTo(until);

    scene.pass(SECOND);
    scene.send(end);
    assertThat(scene.holders()).as("not once more").isEmpty();
    assertThat(scene.queue()).isEmpty();
  }

  // Cancel.

  @Test
  void aWaiterThatCancelsLetsTheNextOnePass() {
    scene.granted(permits("a", 1, 2));
    scene.queued(permits("b", 2, 2));
    scene.queued(permits("c", 1, 2));
    assertThat(scene.cancel("b", false)).isEqualTo(CancelReply.CANCELLED);
    assertThat(scene.told()).containsExactly("c");
  }

  @Test
  void aCancelThatCrossesAGrantReleasesIt() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    scene.queued(exclusive("c"));
    scene.release("a");
    assertThat(scene.cancel("b", false)).isEqualTo(CancelReply.WAS_GRANTED);
    assertThat(scene.told()).containsExactly("c");
  }

  @Test
  void aCancelInTheTurnInWhichItsClaimWouldBeGrantedLeavesItUngranted() {
    scene.granted(exclusive("a").lease(SECOND));
    scene.queued(exclusive("b"));
    scene.queued(exclusive("c"));
    scene.pass(SECOND);
    assertThat(scene.cancel("b", false)).isEqualTo(CancelReply.CANCELLED);
    assertThat(scene.told()).containsExactly("c");
  }

  @Test
  void aCancelOfAnUnknownClaimChangesNothing() {
    scene.granted(exclusive("a"));
    LockState before = scene.state;
    assertThat(scene.cancel("b", false)).isEqualTo(CancelReply.GONE);
    assertThat(scene.state).isEqualTo(before);
  }

  // Late copies of an acquire.

  @Test
  void aClaimThatEndedLateIsNotGrantedByACopyOfItsAcquire() {
    assertThat(scene.cancel("a", true)).isEqualTo(CancelReply.GONE);
    scene.pass(LockMachine.ENDED_MICROS - 1);
    assertThat(scene.acquire(exclusive("a"))).isEqualTo(new AcquireReply.Ended());
    assertThat(scene.holders()).isEmpty();
    scene.pass(1);
    scene.granted(exclusive("a"));
  }

  @Test
  void aReleaseAndAYieldCanEndAClaimLateToo() {
    scene.granted(exclusive("a"));
    scene.release("a", 0, NO_MARK, true);
    assertThat(scene.acquire(exclusive("a"))).isEqualTo(new AcquireReply.Ended());
    scene.granted(exclusive("b"));
    scene.send(new Command.Yield(Scene.ending("b", 0, NO_MARK, true), exclusive("b2").command()));
    assertThat(scene.acquire(exclusive("b"))).isEqualTo(new AcquireReply.Ended());
    assertThat(scene.holders()).containsExactly("b2");
  }

  @Test
  void anEndIsRememberedFromItsFirstTelling() {
    scene.cancel("a", true);
    scene.pass(LockMachine.ENDED_MICROS - 1);
    scene.cancel("a", true);
    scene.pass(1);
    scene.granted(exclusive("a"));
  }

  @Test
  void aLateCopyStillMovesOthersOn() {
    scene.granted(exclusive("a").lease(SECOND));
    scene.queued(exclusive("b"));
    scene.cancel("c", true);
    scene.pass(SECOND);
    assertThat(scene.acquire(exclusive("c"))).isEqualTo(new AcquireReply.Ended());
    assertThat(scene.told()).containsExactly("b");
  }

  @Test
  void onlyTheLatestEndsAreRemembered() {
    for (int i = 0; i <= LockMachine.MOST_ENDED; i++) {
      scene.cancel("n" + i, true);
    }
    assertThat(scene.state.ended()).hasSize(LockMachine.MOST_ENDED);
    assertThat(scene.acquire(exclusive("n1"))).isEqualTo(new AcquireReply.Ended());
    scene.granted(exclusive("n0"));
  }

  // Evict.

  @Test
  void aCopyOfTheAcquireOfWhoeverWasEvictedTakesNothing() {
    Grant grant = scene.granted(exclusive("a"));
    scene.evict(grant.token());
    assertThat(scene.acquire(exclusive("a"))).isEqualTo(new AcquireReply.Ended());
    assertThat(scene.holders()).isEmpty();
  }

  @Test
  void anEvictionRemovesTheHolderWithThatTokenAndTellsIt() {
    Grant grant = scene.granted(exclusive("a").span(4));
    scene.queued(exclusive("b"));
    assertThat(scene.evict(grant.token() + 3))
        .isEqualTo(new EvictReply.Evicted(Ask.id("a"), "label a"));
    assertThat(scene.signals).startsWith(new Signal.Evicted(Script.NAME, Ask.id("a"))).hasSize(2);
    assertThat(scene.told()).containsExactly("b");
    assertThat(scene.renew(exclusive("a"))).isEqualTo(new RenewReply.Gone());
  }

  @Test
  void anEvictionWithATokenFromBeforeRemovesNobody() {
    long old = scene.granted(exclusive("a")).token();
    scene.release("a");
    scene.granted(exclusive("b"));
    assertThat(scene.evict(old)).isEqualTo(new EvictReply.Changed());
    assertThat(scene.evict(old + 2)).isEqualTo(new EvictReply.Changed());
    assertThat(scene.holders()).containsExactly("b");
  }

  @Test
  void anEvictionLeavesTheOtherHoldersAlone() {
    scene.granted(shared("a"));
    long token = scene.granted(shared("b")).token();
    scene.granted(shared("c"));
    scene.evict(token);
    assertThat(scene.holders()).containsExactly("a", "c");
  }

  // Marks.

  @Test
  void aMarkThatIsReachedRefusesWhoeverWantsIt() {
    scene.granted(exclusive("a").mark(5));
    scene.release("a", 0, OptionalLong.of(5), false);
    assertThat(scene.acquire(exclusive("b").mark(5))).isEqualTo(new AcquireReply.Done(5));
    assertThat(scene.acquire(exclusive("b").mark(4))).isEqualTo(new AcquireReply.Done(5));
    assertThat(scene.holders()).isEmpty();
    scene.granted(exclusive("c").mark(6));
  }

  @Test
  void aMarkDoesNotRefuseWhoeverWantsNone() {
    scene.granted(exclusive("a").mark(5));
    scene.release("a", 0, OptionalLong.of(5), false);
    scene.granted(exclusive("b"));
  }

  @Test
  void aMarkOnlyRises() {
    scene.granted(exclusive("a").mark(5));
    scene.release("a", 0, OptionalLong.of(5), false);
    scene.granted(exclusive("b").mark(6));
    scene.release("b", 0, OptionalLong.of(2), false);
    assertThat(scene.state.mark()).hasValue(5);
  }

  @Test
  void waitersWhoseMarkIsReachedAreDismissedAndTheOthersStay() {
    scene.granted(exclusive("a").mark(5));
    scene.queued(exclusive("b").mark(5));
    scene.queued(exclusive("c").mark(6));
    scene.queued(exclusive("d").mark(4));
    scene.queued(exclusive("e"));
    scene.release("a", 0, OptionalLong.of(5), false);
    assertThat(scene.signals)
        .contains(
            new Signal.Done(Script.NAME, Ask.id("b"), 5),
            new Signal.Done(Script.NAME, Ask.id("d"), 5));
    assertThat(scene.told()).containsExactly("c");
    assertThat(scene.queue()).containsExactly("e");
    assertThat(scene.renew(exclusive("b").mark(5))).isEqualTo(new RenewReply.Gone());
    assertThat(scene.acquire(exclusive("b").mark(5))).isEqualTo(new AcquireReply.Done(5));
  }

  @Test
  void aRunnerThatFailsLeavesTheMarkAndTheNextOneTakesOver() {
    scene.granted(exclusive("a").mark(5));
    scene.queued(exclusive("b").mark(5));
    scene.release("a");
    assertThat(scene.told()).containsExactly("b");
  }

  @Test
  void aRunnerWhoseLeaseEndedDoesNotRaiseTheMark() {
    scene.granted(exclusive("a").mark(5).lease(SECOND));
    scene.pass(SECOND);
    assertThat(scene.release("a", 0, OptionalLong.of(5), false)).isEqualTo(ReleaseReply.GONE);
    scene.granted(exclusive("b").mark(5));
  }

  @Test
  void aHolderThatAsksAgainIsNotDone() {
    scene.granted(shared("a").mark(5));
    scene.granted(shared("b").mark(5));
    scene.release("b", 0, OptionalLong.of(5), false);
    scene.granted(shared("a").mark(5));
  }
}
