package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Capability;
import dev.pawl.spi.Grant;
import org.junit.jupiter.api.Test;

/** I8, I9: the next holder is told; and if it is not, it finds out by asking. */
@Needs(Capability.FAIR)
abstract class SignalCases extends SpiCases {

  SignalCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aReleaseTellsTheNextHolder() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim waiter = b.claim(name());
    holder.take();
    waiter.enqueue();

    holder.release();

    b.hearsOf(waiter);
    waiter.mustHold();
  }

  @Test
  void aSignalledGrantIsTheOneThatARenewalConfirms() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim waiter = b.claim(name()).span(5);
    Grant before = holder.take();
    waiter.enqueue();
    holder.release();
    b.hearsOf(waiter);

    Grant confirmed = waiter.mustHold();

    assertThat(b.grantSignals(waiter))
        .allSatisfy(
            signal -> {
              assertThat(signal.name()).isEqualTo(name());
              assertThat(signal.grant().token())
                  .isEqualTo(confirmed.token())
                  .isGreaterThan(before.token());
              assertThat(signal.grant().span()).isEqualTo(5);
              assertThat(signal.grant().untilMicros()).isGreaterThan(signal.grant().nowMicros());
            });
  }

  @Test
  void theNextHolderIsToldOnceAndNobodyElseIs() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedNode b = node("b");
    ScriptedNode c = node("c");
    ScriptedClaim next = b.claim(name());
    ScriptedClaim last = c.claim(name());
    holder.take();
    next.enqueue();
    last.enqueue();
    holder.release();
    b.hearsOf(next);

    // A second hand-over stands for the time in which wrong signals would have come.
    next.mustHold();
    assertThat(c.grantSignals(last)).isEmpty();
    next.release();
    c.hearsOf(last);

    assertThat(b.grantSignals(next)).hasSizeLessThanOrEqualTo(1);
    assertThat(c.grantSignals(last)).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void aCancelledHolderTellsTheNext() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim waiter = b.claim(name());
    holder.take();
    waiter.enqueue();

    holder.cancel();

    b.hearsOf(waiter);
    waiter.mustHold();
  }

  @Test
  void whoeverYieldsTellsTheNext() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim waiter = b.claim(name());
    holder.take();
    waiter.enqueue();

    holder.yieldTo(a.claim(name()));

    b.hearsOf(waiter);
    waiter.mustHold();
  }

  @Test
  void aGrantNobodyWasToldOfIsFoundByAPoll() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedNode deaf = node("deaf");
    ScriptedClaim waiter = deaf.claim(name());
    deaf.close();
    holder.take();
    waiter.enqueue();
    waiter.mustWait();

    holder.release();

    waiter.mustHold();
  }

  @Test
  void aClosedSubscriptionHearsNothing() {
    ScriptedNode a = node("a");
    ScriptedNode deaf = node("deaf");
    ScriptedNode c = node("c");
    ScriptedClaim holder = a.claim(name());
    ScriptedClaim first = deaf.claim(name());
    ScriptedClaim second = c.claim(name());
    holder.take();
    first.enqueue();
    second.enqueue();
    deaf.close();

    holder.release();
    first.mustHold();
    first.release();
    c.hearsOf(second);

    assertThat(deaf.signals()).isEmpty();
  }

  @Test
  void aNodeThatSubscribesAgainHearsAgain() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    ScriptedNode gone = node("b");
    gone.close();
    ScriptedNode back = node("b");
    ScriptedClaim waiter = back.claim(name());
    waiter.enqueue();

    holder.release();

    back.hearsOf(waiter);
  }
}
