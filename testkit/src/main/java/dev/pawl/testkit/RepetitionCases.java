package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import org.junit.jupiter.api.Test;

/** I5: a command sent twice has the effect of once, and a late copy of an acquire takes nothing. */
abstract class RepetitionCases extends SpiCases {

  RepetitionCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aRepeatedAcquireGetsTheSameGrant() {
    ScriptedClaim claim = node("a").claim(name()).span(4);
    Grant first = claim.take();

    Grant second = claim.take();

    assertThat(second.claim()).isEqualTo(claim.id());
    assertThat(second.token()).isEqualTo(first.token());
    assertThat(second.span()).isEqualTo(first.span());
    assertThat(second.untilMicros()).isGreaterThanOrEqualTo(first.untilMicros());
    assertThat(claim.release()).isEqualTo(ReleaseReply.RELEASED);
    node("b").claim(name()).take();
  }

  @Test
  @Needs(Capability.FAIR)
  void aRepeatedAcquireKeepsItsPlaceInTheQueue() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim first = node("b").claim(name());
    ScriptedClaim second = node("c").claim(name());
    holder.take();
    first.enqueue();
    second.enqueue();

    assertThat(first.enqueue().ahead()).isZero();
    assertThat(second.enqueue().ahead()).isEqualTo(1);

    holder.release();
    first.mustHold();
    first.release();
    second.mustHold();
    second.release();
    node("d").claim(name()).take();
  }

  @Test
  @Needs(Capability.FAIR)
  void aLateCopyThatWouldNotHaveWaitedKeepsThePlaceInTheQueue() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();

    assertThat(waiter.askOnce()).isInstanceOf(AcquireReply.Queued.class);

    waiter.mustWait();
    holder.release();
    waiter.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void aWaiterGrantedMeanwhileFindsItsGrantByAskingAgain() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    Grant before = holder.take();
    waiter.enqueue();
    holder.release();

    Grant first = waiter.take();

    assertThat(first.token()).isGreaterThan(before.token());
    assertThat(waiter.take().token()).isEqualTo(first.token());
  }

  @Test
  void aRepeatedReleaseDoesNothing() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    holder.release();
    ScriptedClaim next = node("b").claim(name());
    next.take();

    assertThat(holder.release()).isEqualTo(ReleaseReply.GONE);

    next.mustHold();
  }

  @Test
  void aRepeatedCancelDoesNothing() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    assertThat(holder.cancel()).isEqualTo(CancelReply.WAS_GRANTED);
    ScriptedClaim next = node("b").claim(name());
    next.take();

    assertThat(holder.cancel()).isEqualTo(CancelReply.GONE);

    next.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void aRepeatedYieldDoesNotLoseItsPlace() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    ScriptedClaim other = node("b").claim(name());
    ScriptedClaim again = a.claim(name());
    holder.take();
    other.enqueue();
    Replies.as(AcquireReply.Queued.class, holder.yieldTo(again));
    other.mustHold();

    assertThat(Replies.as(AcquireReply.Queued.class, holder.yieldTo(again)).contention().ahead())
        .isZero();

    other.release();
    again.mustHold();
  }

  @Test
  void aLateAcquireAfterACancelTakesNothing() {
    ScriptedClaim claim = node("a").claim(name());

    assertThat(claim.cancelLate()).isEqualTo(CancelReply.GONE);

    assertThat(claim.askOnce()).isInstanceOf(AcquireReply.Ended.class);
    assertThat(claim.ask()).isInstanceOf(AcquireReply.Ended.class);
    node("b").claim(name()).take();
  }

  @Test
  void aLateAcquireAfterAReleaseTakesNothing() {
    ScriptedClaim claim = node("a").claim(name());
    claim.take();

    assertThat(claim.releaseLate()).isEqualTo(ReleaseReply.RELEASED);

    assertThat(claim.ask()).isInstanceOf(AcquireReply.Ended.class);
    node("b").claim(name()).take();
    claim.mustBeGone();
  }

  @Test
  @Needs(Capability.FAIR)
  void aLateAcquireDoesNotQueueAgain() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();
    assertThat(waiter.cancelLate()).isEqualTo(CancelReply.CANCELLED);

    assertThat(waiter.ask()).isInstanceOf(AcquireReply.Ended.class);

    holder.release();
    node("c").claim(name()).take();
    waiter.mustBeGone();
  }

  @Test
  void anEndedClaimDoesNotEndTheOthersOfItsNode() {
    ScriptedNode a = node("a");
    a.claim(name()).cancelLate();

    a.claim(name()).take();
  }
}
