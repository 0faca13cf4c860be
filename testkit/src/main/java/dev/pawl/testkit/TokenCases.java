package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I3: tokens rise, whatever ended the grant before. */
@Tag("safety")
abstract class TokenCases extends SpiCases {

  TokenCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void tokensRiseFromGrantToGrant() {
    List<ScriptedNode> nodes = List.of(node("a"), node("b"));
    long last = 0;
    for (int i = 0; i < 40; i++) {
      ScriptedClaim claim = nodes.get(i % 2).claim(name());
      long token = claim.take().token();
      assertThat(token).as("token of grant %s", i).isGreaterThan(last);
      last = token;
      claim.release();
    }
  }

  @Test
  void tokensRiseAfterExpiry() {
    ScriptedNode b = node("b");
    long last = node("a").claim(name()).lease(suite.shortLease()).take().token();

    Grant[] next = new Grant[1];
    until(
        "the name is free",
        suite.shortLease().plus(LATE),
        () -> {
          if (b.claim(name()).askOnce() instanceof AcquireReply.Granted granted) {
            next[0] = granted.grant();
          }
          return next[0] != null;
        });

    assertThat(next[0].token()).isGreaterThan(last);
  }

  @Test
  void tokensRiseAfterACancel() {
    ScriptedClaim cancelled = node("a").claim(name());
    long last = cancelled.take().token();
    cancelled.cancelLate();

    assertThat(node("b").claim(name()).take().token()).isGreaterThan(last);
  }

  @Test
  @Needs(Capability.EVICT)
  void tokensRiseAfterAForcedRelease() {
    long last = node("a").claim(name()).take().token();
    Replies.of(store().evict(new Command.Evict(name(), last)));

    assertThat(node("b").claim(name()).take().token()).isGreaterThan(last);
  }

  @Test
  void tokensRiseAfterTheNameWasForgotten() {
    ScriptedClaim claim = node("a").claim(name());
    long last = claim.take().token();
    claim.release();
    nothingIsLeft();

    assertThat(node("b").claim(name()).take().token()).isGreaterThan(last);
  }

  @Test
  void aSpanThatWasUsedUpIsNotGivenOutAgain() {
    int span = Math.min(1_000_000, suite.largestSpan());
    ScriptedClaim claim = node("a").claim(name()).span(span);
    Grant grant = claim.take();
    assertThat(grant.span()).isEqualTo(span);
    long highest = grant.token() + span - 1;

    claim.releaseUsed(highest);

    assertThat(node("b").claim(name()).take().token()).isGreaterThan(highest);
  }

  @Test
  void aSpanPartlyUsedIsNotGivenOutAgainAsFarAsItWas() {
    int span = Math.min(1_000_000, suite.largestSpan());
    ScriptedClaim claim = node("a").claim(name()).span(span);
    Grant grant = claim.take();
    long used = grant.token() + span / 2;

    claim.releaseUsed(used);

    assertThat(node("b").claim(name()).take().token()).isGreaterThan(used);
  }

  @Test
  void aSpanOfAHolderThatDiedIsNotGivenOutAgain() {
    int span = suite.largestSpan();
    ScriptedNode b = node("b");
    Grant grant = node("a").claim(name()).lease(suite.shortLease()).span(span).take();

    until(
        "the name is granted again, above the whole span",
        suite.shortLease().plus(LATE),
        () ->
            b.claim(name()).askOnce() instanceof AcquireReply.Granted granted
                && granted.grant().token() >= grant.token() + span);
  }

  @Test
  void whatWasNotUsedOfASpanIsGivenBack() {
    int span = suite.largestSpan();
    ScriptedClaim claim = node("a").claim(name()).span(span);
    Grant grant = claim.take();
    if (!isReadFromTheClock(grant)) {
      return; // Tokens of such a store come from elsewhere, and do not run ahead of anything.
    }

    claim.releaseUsed(grant.token());

    // Else a store that forgot the name would go on below it, by its clock.
    assertThat(node("b").claim(name()).take().token()).isLessThan(grant.token() + span);
  }

  @Test
  void theUsedTokenOfAStrangerGivesNothingBack() {
    int span = suite.largestSpan();
    ScriptedNode a = node("a");
    ScriptedClaim holder = a.claim(name()).span(span);
    Grant grant = holder.take();

    a.claim(name()).releaseUsed(grant.token());
    holder.releaseUsed(grant.token() + span - 1);

    assertThat(node("b").claim(name()).take().token()).isGreaterThanOrEqualTo(grant.token() + span);
  }

  @Test
  @Needs(Capability.SHARED)
  void aWriterComesAfterEveryReaderBeforeIt() {
    List<ScriptedClaim> readers = new ArrayList<>();
    long highest = 0;
    for (int i = 0; i < 3; i++) {
      ScriptedClaim reader = node("r" + i).claim(name()).shared().span(10);
      highest = Math.max(highest, reader.take().token());
      readers.add(reader);
    }
    readers.forEach(ScriptedClaim::release);

    assertThat(node("w").claim(name()).take().token()).isGreaterThan(highest);
  }

  private static boolean isReadFromTheClock(Grant grant) {
    return Math.abs(grant.token() - grant.nowMicros()) < Duration.ofDays(1).toNanos() / 1_000;
  }
}
