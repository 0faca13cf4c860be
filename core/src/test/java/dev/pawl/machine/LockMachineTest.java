package dev.pawl.machine;

import static dev.pawl.machine.Ask.LEASE;
import static dev.pawl.machine.Ask.SECOND;
import static dev.pawl.machine.Ask.exclusive;
import static dev.pawl.machine.Ask.permits;
import static dev.pawl.machine.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import org.junit.jupiter.api.Test;

/** Shows by examples who is granted, who waits, for how long, and with which token. */
class LockMachineTest {

  private final Scene scene = new Scene();

  // Who fits.

  @Test
  void aFreeNameIsGrantedForTheFullLeaseToWhoeverAsks() {
    Grant grant = scene.granted(exclusive("a"));
    assertThat(grant).isEqualTo(new Grant(Ask.id("a"), scene.now, 1, scene.now + LEASE, scene.now));
    assertThat(scene.signals).isEmpty();
  }

  @Test
  void anExclusiveHolderSharesWithNobody() {
    scene.granted(exclusive("a"));
    scene.busy(exclusive("b"));
    scene.busy(shared("c"));
    scene.busy(permits("d", 1, 4));
    assertThat(scene.holders()).containsExactly("a");
    assertThat(scene.queue()).isEmpty();
  }

  @Test
  void sharedClaimsHoldTogetherAndKeepAnExclusiveOneOut() {
    scene.granted(shared("a"));
    scene.granted(shared("b"));
    scene.busy(exclusive("c"));
    assertThat(scene.holders()).containsExactly("a", "b");
  }

  @Test
  void aSemaphoreGivesOutItsPermitsAndNoMore() {
    scene.granted(permits("a", 2, 4));
    scene.granted(permits("b", 2, 4));
    scene.busy(permits("c", 1, 4));
    scene.release("a");
    scene.busy(permits("d", 3, 4));
    scene.granted(permits("e", 2, 4));
  }

  @Test
  void eachClaimCountsWithItsOwnCapacityWhereTheyDiffer() {
    scene.granted(permits("a", 2, 4));
    scene.busy(permits("b", 1, 2));
    scene.granted(permits("c", 1, 3));
    scene.busy(permits("d", 1, 3));
    scene.granted(permits("e", 1, 4));
  }

  // Who waits, and in which order.

  @Test
  void waitersAreGrantedInTheOrderOfTheirArrival() {
    scene.granted(exclusive("a"));
    assertThat(scene.queued(exclusive("b")).ahead()).isZero();
    assertThat(scene.queued(exclusive("c")).ahead()).isEqualTo(1);
    scene.release("a");
    assertThat(scene.told()).containsExactly("b");
    scene.release("b");
    assertThat(scene.told()).containsExactly("c");
    assertThat(scene.queue()).isEmpty();
  }

  @Test
  void nobodyOvertakesAFairWaiterNotEvenWhoWouldFit() {
    scene.granted(shared("a"));
    scene.queued(exclusive("b"));
    scene.busy(shared("c"));
    scene.queued(shared("d"));
    assertThat(scene.busy(shared("e").unfair()).ahead()).isEqualTo(2);
    assertThat(scene.holders()).containsExactly("a");
  }

  @Test
  void anUnfairWaiterIsOvertakenByWhoeverFits() {
    scene.granted(shared("a"));
    scene.queued(exclusive("b").unfair());
    scene.granted(shared("c"));
    scene.granted(shared("d").unfair());
    assertThat(scene.queue()).containsExactly("b");
  }

  @Test
  void anUnfairWaiterBehindAFairOneWaitsForIt() {
    scene.granted(permits("a", 1, 2));
    scene.queued(permits("b", 2, 2));
    scene.queued(permits("c", 1, 2).unfair());
    scene.release("a");
    assertThat(scene.told()).containsExactly("b");
    scene.release("b");
    assertThat(scene.told()).containsExactly("c");
  }

  @Test
  void aReleaseGrantsAllWhoFitFromTheHeadOn() {
    scene.granted(exclusive("a"));
    scene.queued(shared("b"));
    scene.queued(shared("c"));
    scene.queued(exclusive("d"));
    scene.queued(shared("e"));
    scene.release("a");
    assertThat(scene.told()).containsExactly("b", "c");
    assertThat(scene.queue()).containsExactly("d", "e");
  }

  @Test
  void aClaimThatDoesNotQueueIsForgottenAtOnce() {
    scene.granted(exclusive("a"));
    LockState before = scene.state;
    scene.busy(exclusive("b"));
    assertThat(scene.state).isEqualTo(before);
    assertThat(scene.renew(exclusive("b"))).isEqualTo(new RenewReply.Gone());
  }

  @Test
  void aWaiterKeepsItsPlaceWhenACopyFromBeforeItWasReadyToWaitArrives() {
    scene.granted(permits("a", 1, 2));
    scene.queued(permits("b", 2, 2));
    scene.queued(permits("c", 1, 2));
    assertThat(scene.acquire(permits("b", 2, 2).noQueue())).isInstanceOf(AcquireReply.Queued.class);
    assertThat(scene.queue()).containsExactly("b", "c");
  }

  @Test
  void aContentionTellsWhoHoldsSinceWhenAndWhenTheFirstLeaseEnds() {
    scene.granted(shared("a"));
    long since = scene.now;
    scene.pass(SECOND);
    scene.granted(shared("b").lease(3 * SECOND));
    scene.queued(exclusive("c"));
    assertThat(scene.busy(exclusive("d")))
        .isEqualTo(new Contention("label a", since, scene.now + 3 * SECOND, 2, 1, scene.now));
  }

  // Asking again.

  @Test
  void whoAsksAgainGetsTheSameGrantAndAFreshLease() {
    Grant first = scene.granted(exclusive("a").span(8));
    scene.pass(SECOND);
    Grant again = scene.granted(exclusive("a").span(8));
    assertThat(again.token()).isEqualTo(first.token());
    assertThat(again.span()).isEqualTo(8);
    assertThat(again.untilMicros()).isEqualTo(scene.now + LEASE);
  }

  @Test
  void whoAsksAgainKeepsItsPlaceInTheQueueAndLives() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    scene.queued(exclusive("c"));
    scene.pass(3 * SECOND / 2);
    assertThat(scene.queued(exclusive("b")).ahead()).isZero();
    scene.pass(3 * SECOND / 2);
    assertThat(scene.queued(exclusive("d")).ahead()).isEqualTo(1);
    assertThat(scene.queue()).containsExactly("b", "d");
  }

  // Time.

  @Test
  void aLeaseEndsAtItsMomentAndNotBefore() {
    scene.granted(exclusive("a"));
    scene.pass(LEASE - 1).busy(exclusive("b"));
    scene.pass(1).granted(exclusive("b"));
    assertThat(scene.renew(exclusive("a"))).isEqualTo(new RenewReply.Gone());
    assertThat(scene.holders()).containsExactly("b");
  }

  @Test
  void aRenewalExtendsTheLeaseAndALateOneDoesNotShortenIt() {
    scene.granted(exclusive("a"));
    scene.pass(5 * SECOND);
    assertThat(scene.renew(exclusive("a"))).isInstanceOf(RenewReply.Held.class);
    long until = scene.state.holders().get(0).untilMicros();
    assertThat(until).isEqualTo(scene.now + LEASE);
    scene.renew(exclusive("a").lease(SECOND));
    assertThat(scene.state.holders().get(0).untilMicros()).isEqualTo(until);
  }

  @Test
  void aWaiterGrantedByAReleaseHoldsForTheClaimWindowUntilItConfirms() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    scene.release("a");
    long window = scene.now + LockMachine.CLAIM_WINDOW_MICROS;
    assertThat(scene.signals)
        .containsExactly(
            new Signal.Granted(
                Script.NAME, new Grant(Ask.id("b"), scene.now + 1, 1, window, scene.now)));
    scene.pass(SECOND);
    RenewReply reply = scene.renew(exclusive("b"));
    assertThat(((RenewReply.Held) reply).grant().untilMicros()).isEqualTo(scene.now + LEASE);
  }

  @Test
  void aClaimWindowIsNeverLongerThanTheLease() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b").lease(SECOND));
    scene.release("a");
    assertThat(scene.state.holders().get(0).untilMicros()).isEqualTo(scene.now + SECOND);
  }

  @Test
  void aWaiterThatPollsAndIsGrantedByItHasItsFullLeaseAndNoSignal() {
    scene.granted(exclusive("a").lease(SECOND));
    scene.queued(exclusive("b"));
    scene.pass(SECOND);
    RenewReply reply = scene.renew(exclusive("b"));
    assertThat(((RenewReply.Held) reply).grant().untilMicros()).isEqualTo(scene.now + LEASE);
    assertThat(scene.signals).isEmpty();
  }

  @Test
  void aDeadWaiterCostsTheNextOneTheClaimWindow() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    scene.queued(exclusive("c"));
    scene.release("a");
    scene.pass(LockMachine.CLAIM_WINDOW_MICROS - 1);
    assertThat(scene.renew(exclusive("c"))).isInstanceOf(RenewReply.Waiting.class);
    scene.pass(1);
    assertThat(scene.renew(exclusive("c"))).isInstanceOf(RenewReply.Held.class);
    assertThat(scene.holders()).containsExactly("c");
  }

  @Test
  void aWaiterThatIsNotHeardOfIsTakenForDead() {
    scene.granted(shared("a"));
    scene.queued(exclusive("b"));
    scene.queued(shared("c"));
    scene.pass(LockMachine.WAITER_ALIVE_MICROS - 1);
    assertThat(scene.renew(shared("c"))).isInstanceOf(RenewReply.Waiting.class);
    scene.pass(1);
    assertThat(scene.renew(shared("c"))).isInstanceOf(RenewReply.Held.class);
    assertThat(scene.cancel("b", false)).isEqualTo(CancelReply.GONE);
  }

  @Test
  void anybodysCommandMovesEverybodyOnWhoCanMove() {
    scene.granted(exclusive("a").lease(SECOND));
    scene.queued(shared("b"));
    scene.queued(shared("c"));
    scene.pass(SECOND);
    scene.evict(7);
    assertThat(scene.told()).containsExactly("b", "c");
  }

  // Fewer permits.

  @Test
  void aWriterThatGoesOnAsAReaderLetsReadersIn() {
    Grant grant = scene.granted(exclusive("a"));
    scene.queued(shared("b"));
    scene.queued(exclusive("c"));
    RenewReply reply = scene.renew(exclusive("a"), 1);
    assertThat(((RenewReply.Held) reply).grant().token()).isEqualTo(grant.token());
    assertThat(scene.told()).containsExactly("b");
    assertThat(scene.holders()).containsExactly("a", "b");
    assertThat(scene.queue()).containsExactly("c");
  }

  @Test
  void permitsThatWereGivenUpDoNotComeBackWithALateRenewal() {
    scene.granted(permits("a", 3, 4));
    scene.renew(permits("a", 3, 4), 1);
    scene.granted(permits("b", 3, 4));
    scene.renew(permits("a", 3, 4), 3);
    scene.acquire(permits("a", 3, 4));
    assertThat(scene.state.holders().get(0).permits()).isEqualTo(1);
  }

  // Tokens.

  @Test
  void aTokenIsTheClockOrOneMoreThanTheLast() {
    long first = scene.granted(exclusive("a")).token();
    assertThat(first).isEqualTo(scene.now);
    scene.release("a");
    assertThat(scene.granted(exclusive("b")).token()).isEqualTo(first + 1);
    scene.release("b");
    scene.pass(SECOND);
    assertThat(scene.granted(exclusive("c")).token()).isEqualTo(scene.now);
  }

  @Test
  void aGrantReservesItsSpan() {
    long token = scene.granted(shared("a").span(64)).token();
    assertThat(scene.granted(shared("b")).token()).isEqualTo(token + 64);
  }

  @Test
  void anExpiredGrantKeepsItsWholeSpan() {
    long token = scene.granted(exclusive("a").lease(1).span(64)).token();
    scene.pass(1);
    assertThat(scene.granted(exclusive("b")).token()).isEqualTo(token + 64);
  }

  @Test
  void everythingIsAsMuchAsAnyCapacity() {
    scene.granted(permits("a", Command.EVERYTHING - 1, Command.EVERYTHING));
    scene.granted(shared("b"));
    scene.busy(shared("c"));
  }
}
