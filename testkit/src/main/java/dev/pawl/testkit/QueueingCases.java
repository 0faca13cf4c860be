package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** I7: whoever waits is granted in the order in which the store saw them. */
@Needs(Capability.FAIR)
abstract class QueueingCases extends SpiCases {

  QueueingCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aFreeNameIsGrantedToWhoeverWouldWaitForIt() {
    assertThat(node("a").claim(name()).ask()).isInstanceOf(AcquireReply.Granted.class);
  }

  @Test
  void aWaiterIsToldHowManyAreAheadAndWhoHoldsTheName() {
    ScriptedClaim holder = node("holder-of-it").claim(name());
    ScriptedClaim first = node("b").claim(name());
    ScriptedClaim second = node("c").claim(name());
    Grant grant = holder.take();

    Contention ofFirst = first.enqueue();
    Contention ofSecond = second.enqueue();

    assertThat(ofFirst.ahead()).isZero();
    assertThat(ofFirst.holder()).isEqualTo("holder-of-it");
    assertThat(ofFirst.holders()).isEqualTo(1);
    assertThat(ofFirst.untilMicros()).isCloseTo(grant.untilMicros(), A_SECOND);
    assertThat(ofSecond.ahead()).isEqualTo(1);
    assertThat(second.mustWait().ahead()).isEqualTo(1);
  }

  @Test
  void waitersAreGrantedInTheOrderTheyCame() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    List<ScriptedClaim> waiters = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ScriptedClaim waiter = node("w" + i).claim(name());
      waiter.enqueue();
      waiters.add(waiter);
    }

    ScriptedClaim current = holder;
    for (int i = 0; i < waiters.size(); i++) {
      assertThat(current.release()).isEqualTo(ReleaseReply.RELEASED);
      current = waiters.get(i);
      current.mustHold();
      for (ScriptedClaim later : waiters.subList(i + 1, waiters.size())) {
        later.mustWait();
      }
    }
  }

  @Test
  void theNextHolderIsChosenByTheReleaseItself() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();

    holder.release();

    // Before the waiter has asked again, the name is already taken for it.
    assertThat(node("c").claim(name()).beRefused().holders()).isEqualTo(1);
    waiter.mustHold();
  }

  @Test
  void aNewcomerWhoWillNotWaitDoesNotOvertake() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();

    assertThat(node("c").claim(name()).beRefused().ahead()).isEqualTo(1);
    holder.release();
    node("d").claim(name()).beRefused();

    waiter.mustHold();
  }

  @Test
  void aConfirmedGrantLastsForItsFullLease() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();
    holder.release();

    Grant grant = waiter.mustHold();

    lastsFor(ScriptedClaim.LONG_LEASE, grant);
  }

  @Test
  void whoeverYieldsGoesBehindEverybody() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    ScriptedClaim first = node("b").claim(name());
    ScriptedClaim second = node("c").claim(name());
    Grant grant = holder.take();
    first.enqueue();
    second.enqueue();

    ScriptedClaim again = a.claim(name());
    AcquireReply reply = holder.yieldTo(again);

    assertThat(Replies.as(AcquireReply.Queued.class, reply).contention().ahead()).isEqualTo(1);
    holder.mustBeGone();
    assertThat(first.mustHold().token()).isGreaterThan(grant.token());
    first.release();
    second.mustHold();
    second.release();
    again.mustHold();
  }

  @Test
  void whoeverYieldsWithNobodyWaitingGoesOnWithAHigherToken() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    ScriptedClaim again = a.claim(name());
    Grant before = holder.take();

    AcquireReply reply = holder.yieldTo(again);

    Grant grant = Replies.as(AcquireReply.Granted.class, reply).grant();
    assertThat(grant.claim()).isEqualTo(again.id());
    assertThat(grant.token()).isGreaterThan(before.token());
    lastsFor(ScriptedClaim.LONG_LEASE, grant);
    holder.mustBeGone();
    again.mustHold();
  }

  @Test
  void whoeverYieldsWhatWasLostQueuesLikeAnybody() {
    ScriptedNode a = node("a");
    ScriptedClaim lost = a.claim(name());
    lost.take();
    lost.cancel();
    ScriptedClaim holder = node("b").claim(name());
    holder.take();

    Replies.as(AcquireReply.Queued.class, lost.yieldTo(a.claim(name())));

    holder.mustHold();
  }
}
