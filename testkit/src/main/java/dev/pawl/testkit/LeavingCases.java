package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import org.junit.jupiter.api.Test;

/** Whoever gives up waiting is out, whether the grant came first or not. */
@Needs(Capability.FAIR)
abstract class LeavingCases extends SpiCases {

  LeavingCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aCancelledWaiterIsNeverGranted() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();

    assertThat(waiter.cancel()).isEqualTo(CancelReply.CANCELLED);

    holder.release();
    node("c").claim(name()).take();
    waiter.mustBeGone();
  }

  @Test
  void aWaiterWhoLeavesTheMiddleKeepsTheOrderOfTheOthers() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim first = node("b").claim(name());
    ScriptedClaim leaves = node("c").claim(name());
    ScriptedClaim last = node("d").claim(name());
    holder.take();
    first.enqueue();
    leaves.enqueue();
    last.enqueue();

    assertThat(leaves.cancel()).isEqualTo(CancelReply.CANCELLED);

    assertThat(last.mustWait().ahead()).isEqualTo(1);
    holder.release();
    first.mustHold();
    first.release();
    last.mustHold();
  }

  @Test
  void aCancelThatComesAfterTheGrantReleasesIt() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    ScriptedClaim last = node("c").claim(name());
    holder.take();
    waiter.enqueue();
    last.enqueue();
    holder.release();

    assertThat(waiter.cancel()).isEqualTo(CancelReply.WAS_GRANTED);

    waiter.mustBeGone();
    last.mustHold();
  }

  @Test
  void aCancelledHolderIsGoneAndTheNextIsGranted() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    Grant grant = holder.take();
    waiter.enqueue();

    assertThat(holder.cancel()).isEqualTo(CancelReply.WAS_GRANTED);

    assertThat(waiter.mustHold().token()).isGreaterThan(grant.token());
    holder.mustBeGone();
  }

  @Test
  void theReleaseOfAWaiterTakesItOutOfTheQueue() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();

    assertThat(waiter.release()).isEqualTo(ReleaseReply.GONE);

    waiter.mustBeGone();
    holder.mustHold();
    holder.release();
    node("c").claim(name()).take();
  }
}
