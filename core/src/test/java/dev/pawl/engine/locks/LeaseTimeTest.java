package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.PuppetNode;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** More time for a lease, whether it still stands, and a name that is kept after its work. */
class LeaseTimeTest {

  private static final LockOptions SECOND_ONLY =
      LockOptions.DEFAULT.withLease(Duration.ofSeconds(1)).withRenewal(false);

  private final PuppetNode node = new PuppetNode(0);
  private final PuppetNode other = node.neighbour("other");

  private HeldLease take(LockOptions options) {
    return PuppetNode.lease(node.call("x", options, 0));
  }

  private static String refusal(Caller caller) {
    return ((CallResult.Refused) caller.outcome.getNow(null)).why().get();
  }

  private boolean isFree() {
    Caller caller = other.call("x", LockOptions.DEFAULT, 0);
    if (caller.outcome.getNow(null) instanceof CallResult.Held held) {
      held.lease().close();
      return true;
    }
    return false;
  }

  @Test
  void aLeaseThatIsNotRenewedLastsAsMuchLonger() {
    HeldLease lease = take(SECOND_ONLY);
    lease.extend(Duration.ofSeconds(20));
    assertThat(lease.remaining()).isBetween(Duration.ofSeconds(19), Duration.ofSeconds(20));
    node.pass(15 * SECOND);
    lease.ensureHeld();
    assertThat(isFree()).isFalse();
    lease.extend(Duration.ofSeconds(20));
    node.pass(15 * SECOND);
    lease.ensureHeld();
    node.pass(10 * SECOND);
    assertThat(lease.isHeld()).isFalse();
    assertThat(isFree()).isTrue();
  }

  @Test
  void aLeaseIsNeverShortenedAndGoesOnToBeRenewed() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.extend(Duration.ofSeconds(1));
    assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(9));
    lease.extend(Duration.ofSeconds(100));
    node.pass(1_000 * SECOND);
    lease.ensureHeld();
    lease.close();
    assertThat(isFree()).isTrue();
  }

  /** It may last for a day, and would be believed for as long. */
  @Test
  void aLeaseThatIsNotRenewedIsLookedAfterAllTheSame() {
    HeldLease lease = take(LockOptions.DEFAULT.withRenewal(false).withLease(Duration.ofHours(3)));
    List<String> told = new ArrayList<>();
    lease.onLost(() -> told.add("lost"));
    node.pass(3_700 * SECOND);
    var unused = node.server.release(lease.claim().releaseCommand()); // Behind the node's back.
    assertThat(lease.isHeld()).isTrue();
    node.pass(3_700 * SECOND);
    assertThat(lease.isHeld()).isFalse();
    assertThat(told).containsExactly("lost");
  }

  @Test
  void anExtensionDoesNotGoOverToTheNextInLine() {
    HeldLease lease = take(SECOND_ONLY);
    Caller next = node.call("x", SECOND_ONLY, 60 * SECOND);
    lease.extend(Duration.ofSeconds(50));
    lease.close();
    assertThat(PuppetNode.lease(next).remaining()).isLessThanOrEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void theReleaseOfAnExtendedLeaseIsRepeatedForAsLongAsThatWouldLast() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.extend(Duration.ofMinutes(10));
    outage("release");
    var unused = node.engine.releaseAsync(lease);

    node.pass(60 * SECOND); // Six times the lease that it began with.
    assertThat(isFree()).isFalse();
    node.broken = Map.of();
    node.pass(2 * SECOND);

    assertThat(isFree()).isTrue();
  }

  @Test
  void soIsThatOfOneThatIsYielded() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.extend(Duration.ofMinutes(10));
    Caller next = node.call("x", LockOptions.DEFAULT, 5 * SECOND);
    outage("yieldGrant", "release", "cancel");
    var unused = node.engine.releaseAsync(lease);

    node.pass(60 * SECOND);
    assertThat(next.outcome).isDone();
    assertThat(isFree()).isFalse();
    node.broken = Map.of();
    node.pass(2 * SECOND);

    assertThat(isFree()).isTrue();
  }

  private void outage(String... methods) {
    StoreUnavailableException down = new StoreUnavailableException("down", null);
    node.broken = Stream.of(methods).collect(Collectors.toMap(method -> method, method -> down));
  }

  @Test
  void timesThatAreNoneAreRefused() {
    HeldLease lease = take(LockOptions.DEFAULT);
    for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(99), Duration.ofDays(2))) {
      assertThatThrownBy(() -> lease.extend(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "atLeast is " + DurationText.format(bad) + "; allowed is 100ms to 1d");
    }
    assertThatThrownBy(() -> lease.closeAfter(Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class);
    lease.ensureHeld();
  }

  @Test
  void theStoreIsAskedWhetherALeaseStillStands() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.confirm();
    List<String> told = new ArrayList<>();
    lease.onLost(() -> told.add("lost"));
    var unused = node.server.release(lease.claim().releaseCommand()); // Behind the node's back.
    lease.ensureHeld();
    assertThatThrownBy(lease::confirm).isInstanceOf(LeaseLostException.class);
    assertThat(lease.isHeld()).isFalse();
    assertThat(told).containsExactly("lost");
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(5)))
        .isInstanceOf(LeaseLostException.class);
  }

  @Test
  void aLeaseOfWhichTheStoreCannotBeAskedIsAsItWas() {
    HeldLease lease = take(LockOptions.DEFAULT);
    node.broken = Map.of("renew", new Error("no such class"));
    assertThatThrownBy(lease::confirm).isInstanceOf(PawlException.class);
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(50)))
        .isInstanceOf(PawlException.class);
    lease.ensureHeld();
    assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void aLeaseOfWhichNobodyKnowsIsNeitherConfirmedNorExtendedNorLost() {
    HeldLease lease = take(LockOptions.DEFAULT);
    node.inDoubt = true;
    assertThatThrownBy(lease::confirm).isInstanceOf(OutcomeUnknownException.class);
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(50)))
        .isInstanceOf(OutcomeUnknownException.class);
    lease.ensureHeld();
    node.pass(5 * SECOND); // And asks again.
    node.inDoubt = false;
    node.pass(100 * SECOND);
    lease.confirm();
  }

  @Test
  void aClosedLeaseCannotBeConfirmedOrExtended() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.close();
    assertThatThrownBy(lease::confirm).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(5)))
        .isInstanceOf(LeaseLostException.class);
    lease.closeAfter(Duration.ofSeconds(5));
    assertThat(isFree()).isTrue();
  }

  @Test
  void aNameIsKeptForLongerThanItsLease() {
    HeldLease lease = take(SECOND_ONLY);
    lease.closeAfter(Duration.ofSeconds(20));
    assertThat(lease.isHeld()).isFalse();
    lease.close();
    node.pass(19 * SECOND);
    assertThat(isFree()).isFalse();
    node.pass(2 * SECOND);
    assertThat(isFree()).isTrue();
    assertThat(node.engine.namesInUse()).isEmpty();
  }

  /** As with ZooKeeper, whose session may end before. */
  @Test
  void aNameOfWhichTheNodeKnowsForLessIsAskedForInTheStore() {
    node.trustMicros = 4_000_000;
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.closeAfter(Duration.ofSeconds(30));
    node.pass(5 * SECOND);

    assertThat(refusal(node.call("x", LockOptions.DEFAULT, 0))).contains("held by");
    outage("acquire");
    Caller duringAnOutage = node.call("x", LockOptions.DEFAULT, SECOND);
    node.pass(60 * SECOND / 10);
    assertThat(duringAnOutage.outcome.getNow(null)).isInstanceOf(CallResult.Failed.class);
    node.broken = Map.of();

    Caller here = node.call("x", LockOptions.DEFAULT, 60 * SECOND);
    node.pass(10 * SECOND);
    assertThat(here.outcome).isNotDone();
    assertThat(isFree()).isFalse();
    node.pass(10 * SECOND);
    PuppetNode.lease(here).close();
    assertThat(isFree()).isTrue();
    assertThat(node.engine.namesInUse()).isEmpty();
    assertThat(node.engine.timers().size()).isZero();
  }

  @Test
  void aNameIsKeptForLessThanItsLease() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.closeAfter(Duration.ofSeconds(2));
    node.pass(SECOND);
    assertThat(isFree()).isFalse();
    node.pass(SECOND);
    assertThat(isFree()).isTrue();
    assertThat(node.engine.namesInUse()).isEmpty();
    assertThat(node.engine.timers().size()).isZero();
  }

  @Test
  void aNameStaysKeptWhenItsNodeIsClosed() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.closeAfter(Duration.ofSeconds(60));
    node.engine.close();
    node.stall(59 * SECOND);
    assertThat(isFree()).isFalse();
    node.stall(2 * SECOND);
    assertThat(isFree()).isTrue();
  }

  @Test
  void whoeverWaitsForAKeptNameGetsItAfterwards() {
    HeldLease lease = take(LockOptions.DEFAULT);
    lease.closeAfter(Duration.ofSeconds(5));
    Caller now = node.call("x", LockOptions.DEFAULT, 0);
    assertThat(refusal(now)).contains("keeps it");
    Caller here = node.call("x", LockOptions.DEFAULT, 60 * SECOND);
    Caller there = other.call("x", LockOptions.DEFAULT, 60 * SECOND);
    node.pass(4 * SECOND);
    assertThat(here.outcome.isDone() || there.outcome.isDone()).isFalse();
    node.pass(3 * SECOND);
    other.pass(SECOND);
    assertThat(here.outcome.isDone() || there.outcome.isDone()).isTrue();
  }

  @Test
  void aLeaseThatWasLostIsNotKept() {
    HeldLease lease = take(SECOND_ONLY);
    node.stall(2 * SECOND);
    assertThatThrownBy(() -> lease.closeAfter(Duration.ofSeconds(60)))
        .isInstanceOf(LeaseLostException.class);
    lease.closeAfter(Duration.ofSeconds(60));
    assertThat(isFree()).isTrue();
  }

  @Test
  void keepingANameForNoTimeIsToCloseIt() {
    take(LockOptions.DEFAULT).closeAfter(Duration.ZERO);
    take(LockOptions.DEFAULT).closeAfter(Duration.ofSeconds(-1));
    assertThat(isFree()).isTrue();
  }
}
