package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** I6, I12: a lease that is not renewed ends, by the store's own clock. */
abstract class ExpiryCases extends SpiCases {

  ExpiryCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aLeaseThatIsNotRenewedEndsAndNotBeforeItsTime() {
    Grant grant = node("a").claim(name()).lease(suite.shortLease()).take();
    ScriptedNode b = node("b");

    Grant[] next = new Grant[1];
    long[] tookMicros = new long[1];
    until(
        "the name is free",
        suite.shortLease().plus(LATE),
        () -> {
          long asked = System.nanoTime();
          if (b.claim(name()).askOnce() instanceof AcquireReply.Granted granted) {
            next[0] = granted.grant();
            tookMicros[0] = (System.nanoTime() - asked) / 1_000;
          }
          return next[0] != null;
        });

    // A grant's reading of the clock may be as old as the question.
    assertThat(next[0].nowMicros() + tookMicros[0]).isGreaterThanOrEqualTo(grant.untilMicros());
    assertThat(next[0].token()).isGreaterThan(grant.token());
  }

  @Test
  void everyInstanceReadsTheSameClock() {
    ScriptedNode a = node("a");
    ScriptedNode b = node("b");

    long first = timeOfAHold(a);
    long second = timeOfAHold(b);
    long third = timeOfAHold(a);
    long fourth = timeOfAHold(b);

    // What one node reads after another one is later by the clock they share; by their own,
    // anything. Of one name: two may be on two servers, whose clocks differ by a little.
    long tolerance = suite.clockTolerance().toNanos() / 1_000;
    assertThat(second)
        .as("the clock as two nodes read it in turn")
        .isBetween(first - tolerance, third + tolerance);
    assertThat(fourth)
        .as("the clock as two nodes read it in turn")
        .isGreaterThanOrEqualTo(third - tolerance);
  }

  private long timeOfAHold(ScriptedNode node) {
    ScriptedClaim claim = node.claim(name());
    long now = claim.take().nowMicros();
    claim.release();
    return now;
  }

  @Test
  void aLeaseThatIsRenewedGoesOn() throws Exception {
    // Not the shortest lease: one that does not end whenever the machine stalls.
    Duration lease = suite.shortLease().multipliedBy(3);
    ScriptedNode a = node("a");
    ScriptedNode b = node("b");
    inTime(
        suite.shortLease().multipliedBy(2),
        name -> {
          ScriptedClaim holder = a.claim(name).lease(lease);
          Grant grant = holder.take();

          Contention[] last = new Contention[1];
          until(
              "the lease has passed",
              lease.plus(LATE),
              () -> {
                assertThat(holder.mustHold().token()).isEqualTo(grant.token());
                last[0] = b.claim(name).beRefused();
                return last[0].nowMicros() > grant.untilMicros();
              });

          assertThat(last[0].untilMicros()).isGreaterThan(last[0].nowMicros());
        });
  }

  @Test
  void aRenewalDoesNotBringAnExpiredClaimBack() {
    ScriptedClaim holder = expired(node("a"));

    assertThat(holder.renew()).isInstanceOf(RenewReply.Gone.class);

    node("c").claim(name()).take();
    holder.mustBeGone();
  }

  @Test
  void aReleaseAfterTheEndDoesNotTouchTheNextHolder() {
    ScriptedClaim old = expired(node("a"));
    ScriptedClaim next = node("c").claim(name());
    next.take();

    assertThat(old.release()).isEqualTo(ReleaseReply.GONE);
    assertThat(old.cancel()).isEqualTo(CancelReply.GONE);

    next.mustHold();
  }

  @Test
  @Needs(Capability.FAIR)
  void theFirstInTheQueueGetsWhatAnExpiredHolderLeaves() throws Exception {
    BriefHold hold = briefHold(node("a"), node("b"), node("c"));
    ScriptedClaim first = hold.waiters().get(0);
    ScriptedClaim second = hold.waiters().get(1);

    until("the next one holds it", suite.shortLease().plus(LATE), first::holds);

    assertThat(first.mustHold().token()).isGreaterThan(hold.grant().token());
    second.mustWait();
    hold.holder().mustBeGone();
  }

  @Test
  @Needs(Capability.FAIR)
  void aNewcomerDoesNotTakeFromTheQueueWhatAnExpiredHolderLeaves() throws Exception {
    ScriptedNode c = node("c");
    BriefHold hold = briefHold(node("a"), node("b"));
    String name = hold.holder().name();

    until(
        "the holder has expired",
        suite.shortLease().plus(LATE),
        () -> hasEnded(hold.grant(), c.claim(name).beRefused().nowMicros()));

    c.claim(name).beRefused();
    hold.waiters().get(0).mustHold();
  }

  /** A claim whose lease has ended while nobody else was interested. */
  private ScriptedClaim expired(ScriptedNode node) {
    ScriptedClaim claim = node.claim(name()).lease(suite.shortLease());
    Grant grant = claim.take();
    ScriptedNode other = node("clock");
    String elsewhere = name("elsewhere");
    until(
        "the lease has expired",
        suite.shortLease().plus(LATE),
        () -> {
          ScriptedClaim reading = other.claim(elsewhere);
          long now = reading.take().nowMicros();
          reading.release();
          return hasEnded(grant, now) && !isShown(claim.name());
        });
    return claim;
  }

  /** Where the process that had it ends a lease, it may have stalled: then it is still shown. */
  private boolean isShown(String name) {
    return suite.hasSessions()
        && store().capabilities().contains(Capability.INSPECT)
        && Replies.of(store().find(name)).map(info -> !info.holders().isEmpty()).orElse(false);
  }

  /** A store may keep a lease a moment longer than it promised, never shorter. */
  private boolean hasEnded(Grant grant, long nowMicros) {
    return nowMicros >= grant.untilMicros() + suite.expiryDelay().toNanos() / 1_000;
  }
}
