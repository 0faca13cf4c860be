package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import org.junit.jupiter.api.Test;

/** A forced release: of the token that the person saw, and of no other. */
@Needs(Capability.EVICT)
abstract class EvictionCases extends SpiCases {

  EvictionCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void theHolderWithThatTokenIsRemoved() {
    ScriptedClaim holder = node("holder-of-it").claim(name());
    Grant grant = holder.take();

    EvictReply.Evicted evicted = Replies.as(EvictReply.Evicted.class, evict(grant.token()));

    assertThat(evicted.claim()).isEqualTo(holder.id());
    assertThat(evicted.label()).isEqualTo("holder-of-it");
    holder.mustBeGone();
    assertThat(holder.release()).isEqualTo(ReleaseReply.GONE);
    node("b").claim(name()).take();
  }

  @Test
  void aCopyOfTheAcquireThatComesAfterwardsTakesNothing() {
    ScriptedClaim holder = node("a").claim(name());
    evict(holder.take().token());

    assertThat(holder.ask()).isInstanceOf(AcquireReply.Ended.class);

    node("b").claim(name()).take();
  }

  @Test
  void anotherTokenRemovesNobody() {
    ScriptedClaim holder = node("a").claim(name());
    Grant grant = holder.take();

    assertThat(evict(grant.token() - 1)).isInstanceOf(EvictReply.Changed.class);
    assertThat(evict(grant.token() + 1)).isInstanceOf(EvictReply.Changed.class);

    assertThat(holder.mustHold().token()).isEqualTo(grant.token());
  }

  @Test
  void theTokenOfAnEarlierHolderRemovesNobody() {
    ScriptedClaim before = node("a").claim(name());
    long seen = before.take().token();
    before.release();
    ScriptedClaim holder = node("b").claim(name());
    holder.take();

    assertThat(evict(seen)).isInstanceOf(EvictReply.Changed.class);

    holder.mustHold();
  }

  @Test
  void aFreeNameHasNobodyToRemove() {
    assertThat(evict(1)).isInstanceOf(EvictReply.Changed.class);
  }

  @Test
  void aSecondEvictionFindsNobody() {
    long token = node("a").claim(name()).take().token();
    evict(token);

    assertThat(evict(token)).isInstanceOf(EvictReply.Changed.class);
  }

  @Test
  void everyTokenOfASpanStandsForItsHolder() {
    ScriptedClaim holder = node("a").claim(name()).span(8);
    Grant grant = holder.take();

    assertThat(evict(grant.token() + 8)).isInstanceOf(EvictReply.Changed.class);
    assertThat(evict(grant.token() + 7)).isInstanceOf(EvictReply.Evicted.class);

    holder.mustBeGone();
  }

  @Test
  void theNodeThatLostItIsTold() {
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name());
    Grant grant = holder.take();

    evict(grant.token());

    a.hearsOf(holder);
  }

  @Test
  @Needs(Capability.FAIR)
  void theNextInTheQueueIsGranted() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim waiter = b.claim(name());
    Grant grant = holder.take();
    waiter.enqueue();

    evict(grant.token());

    b.hearsOf(waiter);
    assertThat(waiter.mustHold().token()).isGreaterThan(grant.token());
  }

  @Test
  @Needs(Capability.SHARED)
  void ofSeveralReadersOnlyTheOneIsRemoved() {
    ScriptedClaim first = node("a").claim(name()).shared();
    ScriptedClaim second = node("b").claim(name()).shared();
    first.take();
    long token = second.take().token();

    assertThat(evict(token)).isInstanceOf(EvictReply.Evicted.class);

    first.mustHold();
    second.mustBeGone();
  }

  private EvictReply evict(long token) {
    return Replies.of(store().evict(new Command.Evict(name(), token)));
  }
}
