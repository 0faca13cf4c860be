package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A copy of an acquire that reaches the store long after another one was answered (I5). */
class LateCopyTest {

  private static final LockOptions FOUR_SECONDS =
      LockOptions.DEFAULT.withLease(Duration.ofSeconds(4));

  private final PuppetNode node = new PuppetNode(0);
  private final PuppetNode other = node.neighbour("other");

  /** Sends two copies of an acquire, and has the second one answered. */
  private Caller callTwice(LockOptions options) {
    return callTwice(Request.exclusive("a", options));
  }

  private Caller callTwice(Request request) {
    node.heldBack = Set.of("acquire");
    Caller caller = node.call(request, 60 * SECOND);
    node.pass(SECOND);
    node.heldBack = Set.of();
    assertThat(node.messages).hasSize(2);
    node.messages.get(1).answer();
    return caller;
  }

  private List<LockInfo.Holder> holders() {
    return node.server
        .find("a")
        .toCompletableFuture()
        .join()
        .map(LockInfo::holders)
        .orElse(List.of());
  }

  private void evict(HeldLease lease) {
    assertThat(node.server.evict(new Command.Evict("a", lease.token())).toCompletableFuture())
        .isCompletedWithValueMatching(reply -> reply instanceof EvictReply.Evicted);
  }

  @Test
  void aLeaseWhoseTimeIsUpDoesNotComeBackWithTheAnswerToOne() {
    HeldLease lease = PuppetNode.lease(callTwice(FOUR_SECONDS.withRenewal(false)));
    node.stall(5 * SECOND);
    HeldLease between = PuppetNode.lease(other.call("a", FOUR_SECONDS, 0));
    other.engine.releaseInBackground(between);
    assertThat(lease.isHeld()).isFalse();

    node.messages.get(0).answer();

    assertThat(lease.isHeld()).as("after another has held it").isFalse();
    node.pass(SECOND);
    assertThat(lease.state).isEqualTo(HeldLease.State.LOST);
    assertThat(holders()).as("who holds it for nobody").isEmpty();
  }

  @Test
  void oneFindsNothingAfterAForcedRelease() {
    HeldLease lease = PuppetNode.lease(callTwice(FOUR_SECONDS));
    evict(lease);
    assertThat(lease.state).isEqualTo(HeldLease.State.LOST);

    node.messages.get(0).answer();

    assertThat(holders()).as("who holds it for nobody").isEmpty();
  }

  @Test
  void oneFindsNothingAfterTheStoreHasForgottenAClaimThatWaited() {
    HeldLease first = PuppetNode.lease(other.call("a", FOUR_SECONDS, 0));
    Caller caller = callTwice(FOUR_SECONDS);
    node.stall(5 * SECOND / 2);
    other.engine.releaseInBackground(first);
    node.pass(SECOND);
    HeldLease second = PuppetNode.lease(caller);
    assertThat(second.claim().id.counter()).as("a new claim").isEqualTo(2);
    node.engine.releaseInBackground(second);
    assertThat(holders()).isEmpty();

    node.messages.get(0).answer();

    assertThat(holders()).as("who holds it for nobody").isEmpty();
  }

  @Test
  void oneFindsNothingAfterItsTickWasDoneThoughAPersonHasSetTheMarkBack() {
    Request tick =
        new Request("a", Command.EVERYTHING, Command.EVERYTHING, FOUR_SECONDS, OptionalLong.of(5));
    HeldLease run = PuppetNode.lease(other.call(tick, 0));
    node.server.release(run.claim().releaseCommand(OptionalLong.of(5), Command.MIN_KEEP_MICROS));
    Caller caller = callTwice(tick);
    assertThat(caller.outcome.getNow(null)).isInstanceOf(CallResult.Done.class);
    node.server.reset(new Command.Reset("a", 5, OptionalLong.empty()));

    node.messages.get(0).answer();

    assertThat(holders()).as("who holds it for nobody").isEmpty();
  }
}
