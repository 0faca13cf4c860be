package dev.pawl.engine.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.link.Pace;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** One claim, event by event. */
class ClaimTest {

  private static final long SECOND = 1_000_000_000;
  private static final long LEASE_MICROS = 10_000_000;

  private final Claim claim = claim(LockOptions.DEFAULT);

  private static Claim claim(LockOptions options) {
    return new Claim(
        new ClaimId("n", 1),
        Request.exclusive("x", options),
        new Pace(3 * SECOND, new SplittableRandom(1)),
        null) {
      @Override
      public void fire(long nowNanos) {}
    };
  }

  @Test
  void anAnswerGrantsIt() {
    ask(0);
    assertThat(claim.onAnswer(0, granted(7, 0), SECOND)).isEqualTo(new Verdict.Granted(true));
    assertThat(claim.isHeldAt(9 * SECOND)).isTrue();
    assertThat(claim.isHeldAt(10 * SECOND)).isFalse();
  }

  @Test
  void aSignalGrantsItBeforeItsAnswerCame() {
    ask(0);
    assertThat(claim.onSignal(new Signal.Granted("x", grant(7, 0)), SECOND))
        .isEqualTo(new Verdict.Granted(false));
    assertThat(claim.onAnswer(0, new AcquireReply.Queued(contention(0)), SECOND))
        .isEqualTo(Verdict.NOTHING);
  }

  @Test
  void aGrantThatArrivesAfterItsEndIsLost() {
    ask(0);
    assertThat(claim.onAnswer(0, granted(7, 0), 11 * SECOND)).isInstanceOf(Verdict.Lost.class);
  }

  @Test
  void aRenewalThatIsAnsweredWithAnotherTokenIsALoss() {
    hold();
    Verdict verdict =
        claim.onRenewed(
            3 * SECOND, 3 * SECOND, new RenewReply.Held(grant(8, 3_000_000)), null, 3 * SECOND);
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Lost.class,
            lost -> {
              assertThat(lost.reason()).contains("token 8 instead of 7");
              assertThat(lost.mayStillHold()).isTrue();
            });
  }

  @Test
  void aCopyOfTheAcquireThatIsGrantedAnewIsALoss() {
    hold();
    ask(SECOND);
    assertThat(claim.onAnswer(SECOND, granted(8, 1_000_000), 2 * SECOND))
        .isInstanceOf(Verdict.Lost.class);
  }

  @Test
  void aHolderThatTheStoreMakesWaitAgainHasLostIt() {
    hold();
    RenewReply waiting = new RenewReply.Waiting(contention(0));
    assertThat(claim.onRenewed(3 * SECOND, 3 * SECOND, waiting, null, 4 * SECOND))
        .isInstanceOf(Verdict.Lost.class);
  }

  @Test
  void aPollThatWasOvertakenByTheGrantIsNoLoss() {
    ask(0);
    claim.onAnswer(0, new AcquireReply.Queued(contention(0)), 0);
    claim.onSignal(new Signal.Granted("x", grant(7, 2_000_000)), 2 * SECOND);
    RenewReply waiting = new RenewReply.Waiting(contention(0));
    assertThat(claim.onRenewed(SECOND, SECOND, waiting, null, 2 * SECOND))
        .isEqualTo(Verdict.NOTHING);
  }

  @Test
  void aClaimThatWasEndedByForceIsForgottenWhileItAsksAndLostWhileItHolds() {
    ask(0);
    assertThat(claim.onAnswer(0, new AcquireReply.Ended(), 0)).isEqualTo(Verdict.FORGOTTEN);
    hold();
    ask(SECOND);
    assertThat(claim.onAnswer(SECOND, new AcquireReply.Ended(), SECOND))
        .isInstanceOf(Verdict.Lost.class);
  }

  @Test
  void aWaiterPollsAndWhoeverIsFarBackDoesSoRarely() {
    ask(0);
    assertThat(claim.onAnswer(0, new AcquireReply.Queued(contention(0)), 0))
        .isEqualTo(Verdict.WAITING);
    assertThat(claim.wakeNanos()).isBetween(SECOND, 2 * SECOND);
    assertThat(claim.onTimer(claim.wakeNanos())).isEqualTo(Verdict.RENEW);
    claim.onRenewed(0, SECOND, new RenewReply.Waiting(contention(Pace.FAR_AHEAD)), null, SECOND);
    assertThat(claim.wakeNanos()).isGreaterThan(10 * SECOND);
    assertThat(claim.isInDoubt(18 * SECOND)).isFalse();
  }

  @Test
  void whoIsBidShowLifeDoesSoThoughAnOlderAnswerSaysThatThereIsTime() {
    ask(0);
    claim.onSignal(summoned(), SECOND); // It has overtaken the answer.
    claim.onAnswer(0, new AcquireReply.Queued(contention(Pace.FAR_AHEAD)), 2 * SECOND);
    assertThat(claim.wakeNanos()).isEqualTo(2 * SECOND);

    RenewReply far = new RenewReply.Waiting(contention(Pace.FAR_AHEAD));
    claim.onRenewed(2 * SECOND, 2 * SECOND, far, null, 3 * SECOND);
    assertThat(claim.wakeNanos()).isGreaterThan(10 * SECOND);

    claim.onSignal(summoned(), 5 * SECOND);
    assertThat(claim.wakeNanos()).isEqualTo(5 * SECOND);
    claim.onRenewed(4 * SECOND, 4 * SECOND, far, null, 6 * SECOND);
    assertThat(claim.wakeNanos()).isEqualTo(6 * SECOND);
    claim.onRenewed(6 * SECOND, 6 * SECOND, far, null, 7 * SECOND);
    assertThat(claim.wakeNanos()).isGreaterThan(10 * SECOND);
  }

  private Signal summoned() {
    return new Signal.Summoned("x", claim.id);
  }

  @Test
  void aStoreThatIsSilentIsAskedAgainAndThenNoMore() {
    ask(0);
    assertThat(claim.onTimer(claim.wakeNanos())).isEqualTo(Verdict.NOTHING); // It was not sent yet.
    claim.onAcquireSent();
    assertThat(claim.onTimer(claim.wakeNanos())).isEqualTo(Verdict.ASK);
    assertThat(claim.onTimer(3 * SECOND)).isInstanceOf(Verdict.Failed.class);
    assertThat(claim.isAnswerOutstanding()).isTrue();
  }

  @Test
  void anOutageIsRetriedAndABugIsNot() {
    ask(0);
    assertThat(claim.onFailure(new StoreUnavailableException("down", null), 0))
        .isEqualTo(Verdict.NOTHING);
    assertThat(claim.isAnswerOutstanding()).isFalse();
    ask(SECOND);
    assertThat(claim.onFailure(new OutcomeUnknownException("lost", null), SECOND))
        .isEqualTo(Verdict.NOTHING);
    assertThat(claim.isAnswerOutstanding()).isTrue();
    ask(SECOND);
    assertThat(claim.onFailure(new IllegalStateException("bug"), SECOND))
        .isInstanceOf(Verdict.Failed.class);
  }

  @Test
  void aLeaseIsRenewedAtAThirdAndLostAtItsDeadline() {
    hold();
    assertThat(claim.wakeNanos()).isBetween(2 * SECOND, 4 * SECOND);
    assertThat(claim.onTimer(claim.wakeNanos())).isEqualTo(Verdict.RENEW);
    assertThat(claim.renewCommand("")).isNotNull();
    assertThat(claim.renewCommand("")).describedAs("while one stands in line").isNull();
    assertThat(claim.onTimer(10 * SECOND))
        .isEqualTo(new Verdict.Lost("it could not be renewed in time", true));
  }

  @Test
  void aGrantIsCountedOnForNoLongerThanTheStoreVouchesForIt() {
    ask(0);
    claim.onAnswer(0, new AcquireReply.Granted(vouched(0, 10_000_000, 3_000_000)), 0);
    assertThat(claim.isHeldAt(2_900_000_000L)).isTrue();
    assertThat(claim.isHeldAt(3 * SECOND)).isFalse();
    assertThat(claim.wakeNanos()).isBetween(SECOND / 2, SECOND);

    RenewReply held = new RenewReply.Held(vouched(SECOND / 1_000, 11_000_000, 3_000_000));
    claim.onRenewed(SECOND, SECOND, held, null, SECOND);
    assertThat(claim.isHeldAt(3_900_000_000L)).isTrue();
    assertThat(claim.isHeldAt(4 * SECOND)).isFalse();
    assertThat(claim.wakeNanos()).isBetween(SECOND + SECOND / 2, 2 * SECOND);
  }

  @Test
  void aLeaseThatIsNotRenewedIsVouchedForAgainAndEndsInItsTime() {
    Claim brief = claim(LockOptions.DEFAULT.withRenewal(false));
    brief.ask("app@host", "", true, 0);
    brief.onAnswer(0, new AcquireReply.Granted(vouched(0, 10_000_000, 4_000_000)), 0);
    assertThat(brief.hasRunOut(4 * SECOND)).describedAs("an end that was planned").isFalse();
    for (long now = brief.wakeNanos(); now < 5 * SECOND; now = brief.wakeNanos()) {
      assertThat(brief.onTimer(now)).isEqualTo(Verdict.RENEW);
      assertThat(brief.renewCommand("").leaseMicros())
          .describedAs("it brings no time")
          .isEqualTo(1);
      brief.onRenewalSent();
      RenewReply held = new RenewReply.Held(vouched(now / 1_000, 10_000_000, 4_000_000));
      brief.onRenewed(now, now, held, null, now);
    }
    RenewReply held = new RenewReply.Held(vouched(7_000_000, 10_000_000, 4_000_000));
    brief.onRenewed(7 * SECOND, 7 * SECOND, held, null, 7 * SECOND);
    assertThat(brief.wakeNanos()).isBetween(9_900_000_000L, 10 * SECOND);
    assertThat(brief.hasRunOut(10 * SECOND)).isTrue();
  }

  @Test
  void aSessionThatEndedTakesTheGrantAlongAndThePlaceInTheQueue() {
    Signal lost = new Signal.Lost("x", new ClaimId("n", 1), "the session ended");
    ask(0);
    claim.onAnswer(0, new AcquireReply.Queued(contention(0)), 0);
    assertThat(claim.onSignal(lost, SECOND)).isEqualTo(Verdict.FORGOTTEN);
    claim.onSignal(new Signal.Granted("x", grant(7, 0)), SECOND);
    assertThat(claim.onSignal(lost, SECOND))
        .isEqualTo(new Verdict.Lost("the session ended", false));
  }

  private void ask(long now) {
    claim.ask("app@host", "", true, now);
  }

  private static Grant vouched(long nowMicros, long untilMicros, long trustMicros) {
    return new Grant(new ClaimId("n", 1), 7, 65, untilMicros, nowMicros, trustMicros);
  }

  private void hold() {
    ask(0);
    claim.onAnswer(0, granted(7, 0), 0);
  }

  private static AcquireReply granted(long token, long nowMicros) {
    return new AcquireReply.Granted(grant(token, nowMicros));
  }

  private static Grant grant(long token, long nowMicros) {
    return new Grant(new ClaimId("n", 1), token, 65, nowMicros + LEASE_MICROS, nowMicros);
  }

  private static Contention contention(int ahead) {
    return new Contention("app@other", 0, 100_000_000, 1, ahead, 0);
  }
}
