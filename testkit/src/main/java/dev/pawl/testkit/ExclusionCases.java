package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I1: one holder at a time. */
@Tag("safety")
abstract class ExclusionCases extends SpiCases {

  ExclusionCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aFreeNameIsGrantedAtOnceForItsFullLease() {
    ScriptedClaim claim = node("a").claim(name()).lease(Duration.ofSeconds(10)).span(3);

    Grant grant = claim.take();

    assertThat(grant.claim()).isEqualTo(claim.id());
    assertThat(grant.token()).isPositive();
    assertThat(grant.span()).isEqualTo(3);
    lastsFor(Duration.ofSeconds(10), grant);
  }

  @Test
  void aHeldNameIsRefusedToEveryoneElse() {
    ScriptedNode a = node("a");
    ScriptedNode b = node("b");
    ScriptedClaim holder = a.claim(name());
    holder.take();

    b.claim(name()).beRefused();
    a.claim(name()).beRefused();

    holder.mustHold();
  }

  @Test
  void aRefusalSaysWhoHoldsTheNameAndForHowLong() {
    Grant grant = node("holder-of-it").claim(name()).take();

    Contention contention = node("b").claim(name()).beRefused();

    assertThat(contention.holder()).isEqualTo("holder-of-it");
    assertThat(contention.holders()).isEqualTo(1);
    assertThat(contention.ahead()).isZero();
    assertThat(contention.untilMicros()).isCloseTo(grant.untilMicros(), A_SECOND);
    assertThat(contention.sinceMicros()).isBetween(0L, contention.nowMicros());
  }

  @Test
  void aReleasedNameIsFree() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();

    assertThat(holder.release()).isEqualTo(ReleaseReply.RELEASED);

    node("b").claim(name()).take();
    holder.mustBeGone();
  }

  @Test
  void aRefusedClaimIsForgotten() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();
    ScriptedClaim refused = node("b").claim(name());
    refused.beRefused();

    assertThat(refused.cancel()).isEqualTo(CancelReply.GONE);
    ScriptedClaim again = node("c").claim(name());
    again.beRefused();
    holder.release();

    node("d").claim(name()).take();
    refused.mustBeGone();
    again.mustBeGone();
  }

  @Test
  void oneNameDoesNotDisturbAnother() {
    ScriptedNode a = node("a");
    ScriptedNode b = node("b");
    ScriptedClaim first = a.claim(name("1"));
    ScriptedClaim second = b.claim(name("2"));
    first.take();
    second.take();

    first.release();

    second.mustHold();
    a.claim(name("2")).beRefused();
  }

  @Test
  void ofManyWhoAskAtOnceOneIsGranted() throws Exception {
    List<ScriptedNode> nodes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      nodes.add(node("n" + i));
    }
    for (int round = 0; round < 5; round++) {
      String name = name("round" + round);
      AtomicInteger granted = new AtomicInteger();
      Together.run(
          nodes.size(),
          i -> {
            if (nodes.get(i).claim(name).askOnce() instanceof AcquireReply.Granted) {
              granted.incrementAndGet();
            }
          });
      assertThat(granted).as("holders in round %s", round).hasValue(1);
    }
  }

  @Test
  void twoAreNeverInsideTogether() throws Exception {
    List<ScriptedNode> nodes = List.of(node("a"), node("b"), node("c"), node("d"));
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger grants = new AtomicInteger();
    Together.run(
        nodes.size(),
        i -> {
          for (int round = 0; round < 50; round++) {
            ScriptedClaim claim = nodes.get(i).claim(name());
            if (claim.askOnce() instanceof AcquireReply.Granted) {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              grants.incrementAndGet();
              inside.decrementAndGet();
              assertThat(claim.release()).isEqualTo(ReleaseReply.RELEASED);
            }
          }
        });
    assertThat(grants).hasPositiveValue();
    assertThat(most).hasValue(1);
  }
}
