package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Renewals: heartbeat and poll in one, many at a time. */
abstract class RenewalCases extends SpiCases {

  RenewalCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aRenewalLastsFromNowOnAndKeepsTheToken() {
    ScriptedClaim holder = node("a").claim(name()).lease(Duration.ofSeconds(5));
    Grant before = holder.take();

    Grant after = holder.lease(Duration.ofSeconds(60)).mustHold();

    assertThat(after.token()).isEqualTo(before.token());
    assertThat(after.span()).isEqualTo(before.span());
    lastsFor(Duration.ofSeconds(60), after);
  }

  @Test
  void aLateCopyOfARenewalDoesNotShortenTheLease() {
    ScriptedClaim holder = node("a").claim(name()).lease(Duration.ofSeconds(60));
    Grant before = holder.take();

    Grant after = holder.lease(Duration.ofSeconds(5)).mustHold();

    assertThat(after.untilMicros()).isGreaterThanOrEqualTo(before.untilMicros());
  }

  @Test
  @Needs(Capability.FAIR)
  void aBatchIsAnsweredInItsOrder() {
    List<String> names = namesOfOneShard(4);
    ScriptedNode a = node("a");
    ScriptedNode b = node("b");
    ScriptedClaim held = a.claim(names.get(0));
    ScriptedClaim waits = a.claim(names.get(1));
    ScriptedClaim never = a.claim(names.get(2));
    ScriptedClaim released = a.claim(names.get(3));
    held.take();
    b.claim(names.get(1)).take();
    waits.enqueue();
    released.take();
    released.release();

    List<RenewReply> replies = a.renew(never, held, waits, released);

    assertThat(replies).hasSize(4);
    assertThat(replies.get(0)).isInstanceOf(RenewReply.Gone.class);
    assertThat(Replies.as(RenewReply.Held.class, replies.get(1)).grant().claim())
        .isEqualTo(held.id());
    assertThat(Replies.as(RenewReply.Waiting.class, replies.get(2)).contention().holder())
        .isEqualTo("b");
    assertThat(replies.get(3)).isInstanceOf(RenewReply.Gone.class);
  }

  @Test
  void aLargeBatchIsAnsweredInItsOrder() {
    List<String> names = namesOfOneShard(120);
    ScriptedNode a = node("a");
    List<ScriptedClaim> claims = new ArrayList<>();
    List<Grant> grants = new ArrayList<>();
    for (String name : names) {
      ScriptedClaim claim = a.claim(name);
      grants.add(claim.take());
      claims.add(claim);
    }

    List<RenewReply> replies = a.renew(claims.toArray(ScriptedClaim[]::new));

    assertThat(replies).hasSameSizeAs(claims);
    for (int i = 0; i < claims.size(); i++) {
      Grant renewed = Replies.as(RenewReply.Held.class, replies.get(i)).grant();
      assertThat(renewed.claim()).isEqualTo(claims.get(i).id());
      assertThat(renewed.token()).isEqualTo(grants.get(i).token());
    }
    claims.forEach(ScriptedClaim::release);
  }

  @Test
  @Needs({Capability.FAIR, Capability.SHARED})
  void severalClaimsOfOneNameAreRenewedInOneBatch() {
    ScriptedNode a = node("a");
    ScriptedClaim first = a.claim(name()).shared();
    ScriptedClaim second = a.claim(name()).shared();
    ScriptedClaim writer = a.claim(name());
    long tokenOfFirst = first.take().token();
    long tokenOfSecond = second.take().token();
    writer.enqueue();

    List<RenewReply> replies = a.renew(second, writer, first);

    assertThat(Replies.as(RenewReply.Held.class, replies.get(0)).grant().token())
        .isEqualTo(tokenOfSecond);
    assertThat(replies.get(1)).isInstanceOf(RenewReply.Waiting.class);
    assertThat(Replies.as(RenewReply.Held.class, replies.get(2)).grant().token())
        .isEqualTo(tokenOfFirst);
  }

  @Test
  @Needs(Capability.SHARED)
  void aRenewalWithFewerPermitsLetsOthersIn() {
    ScriptedNode a = node("a");
    ScriptedClaim writer = a.claim(name());
    ScriptedNode b = node("b");
    Grant grant = writer.take();
    b.claim(name()).shared().beRefused();

    Grant downgraded = writer.shared().mustHold();

    assertThat(downgraded.token()).isEqualTo(grant.token());
    b.claim(name()).beRefused();
    b.claim(name()).shared().take();
  }

  @Test
  @Needs({Capability.FAIR, Capability.SHARED})
  void aRenewalWithFewerPermitsGrantsTheQueue() {
    ScriptedClaim writer = node("a").claim(name());
    ScriptedNode b = node("b");
    ScriptedClaim reader = b.claim(name()).shared();
    writer.take();
    reader.enqueue();

    writer.shared().mustHold();

    b.hearsOf(reader);
    reader.mustHold();
  }

  @Test
  @Needs(Capability.SHARED)
  void aRenewalWithMorePermitsTakesNoMore() {
    ScriptedClaim reader = node("a").claim(name()).shared();
    reader.take();

    reader.permits(Command.EVERYTHING, Command.EVERYTHING).mustHold();

    node("b").claim(name()).shared().take();
  }
}
