package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I4: release, renew and cancel touch the claim they name and no other. */
@Tag("safety")
abstract class StrangerCases extends SpiCases {

  StrangerCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aStrangersReleaseChangesNothing() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    Grant grant = holder.take();

    assertThat(node("b").claim(name()).release()).isEqualTo(ReleaseReply.GONE);
    assertThat(a.claim(name()).releaseUsed(grant.token())).isEqualTo(ReleaseReply.GONE);

    node("c").claim(name()).beRefused();
    assertThat(holder.mustHold().token()).isEqualTo(grant.token());
  }

  @Test
  void aStrangersRenewalChangesNothing() {
    ScriptedClaim holder = node("a").claim(name());
    Grant grant = holder.take();
    ScriptedClaim stranger = node("b").claim(name()).lease(Duration.ofHours(1));

    assertThat(stranger.renew()).isInstanceOf(RenewReply.Gone.class);

    assertThat(stranger.beRefused().untilMicros()).isCloseTo(grant.untilMicros(), A_SECOND);
    assertThat(holder.release()).isEqualTo(ReleaseReply.RELEASED);
    stranger.mustBeGone();
  }

  @Test
  void aStrangersCancelChangesNothing() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    holder.take();

    assertThat(node("b").claim(name()).cancel()).isEqualTo(CancelReply.GONE);
    assertThat(a.claim(name()).cancelLate()).isEqualTo(CancelReply.GONE);

    node("c").claim(name()).beRefused();
    holder.mustHold();
  }

  @Test
  void aRenewalOfWhatNobodyHoldsTakesNothing() {
    node("a").claim(name()).mustBeGone();

    node("b").claim(name()).take();
  }

  @Test
  @Needs(Capability.FAIR)
  void aStrangersReleaseMovesNobodyInTheQueue() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim waiter = node("b").claim(name());
    holder.take();
    waiter.enqueue();

    assertThat(node("c").claim(name()).release()).isEqualTo(ReleaseReply.GONE);

    waiter.mustWait();
    holder.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void theReleaseOfAnOldHolderDoesNotTouchTheNext() {
    ScriptedClaim old = node("a").claim(name());
    ScriptedClaim next = node("b").claim(name());
    ScriptedClaim last = node("c").claim(name());
    old.take();
    next.enqueue();
    last.enqueue();
    old.release();

    assertThat(old.release()).isEqualTo(ReleaseReply.GONE);
    assertThat(old.cancel()).isEqualTo(CancelReply.GONE);
    old.mustBeGone();

    next.mustHold();
    last.mustWait();
  }
}
