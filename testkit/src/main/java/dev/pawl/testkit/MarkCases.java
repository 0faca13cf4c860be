package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Marks: what has been reached is not done again, and a mark only rises. */
@Needs(Capability.MARKS)
abstract class MarkCases extends SpiCases {

  MarkCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aMarkThatWasReachedIsDone() {
    reach(10);

    assertThat(doneFor(10)).isEqualTo(10);
    assertThat(doneFor(9)).isEqualTo(10);
    node("b").claim(name()).mark(11).take();
  }

  @Test
  void aMarkThatWasOnlyAskedForIsNotReached() {
    ScriptedClaim failed = node("a").claim(name()).mark(10);
    failed.take();
    failed.release();

    node("b").claim(name()).mark(10).take();
  }

  @Test
  void aMarkNeverGoesBack() {
    reach(10);
    reach(7);

    assertThat(doneFor(8)).isEqualTo(10);
    node("b").claim(name()).mark(11).take();
  }

  @Test
  void aMarkIsKeptWhenNobodyUsesTheName() {
    reach(10);
    pass(Duration.ofSeconds(3));

    assertThat(doneFor(10)).isEqualTo(10);
  }

  @Test
  void aMarkIsSetBackByWhoeverSawIt() {
    reach(10);

    assertThat(reset(10, OptionalLong.of(4))).isEqualTo(ResetReply.RESET);

    assertThat(doneFor(4)).isEqualTo(4);
    node("b").claim(name()).mark(5).take();
  }

  @Test
  void aMarkIsRemovedByWhoeverSawIt() {
    reach(10);

    assertThat(reset(10, OptionalLong.empty())).isEqualTo(ResetReply.RESET);

    node("b").claim(name()).mark(0).take();
  }

  @Test
  void aMarkThatHasChangedIsNotSetBack() {
    assertThat(reset(10, OptionalLong.empty())).as("no mark").isEqualTo(ResetReply.CHANGED);
    reach(10);
    assertThat(reset(9, OptionalLong.empty())).isEqualTo(ResetReply.CHANGED);
    assertThat(reset(11, OptionalLong.of(3))).isEqualTo(ResetReply.CHANGED);
    assertThat(doneFor(10)).isEqualTo(10);

    reset(10, OptionalLong.of(5));
    assertThat(reset(10, OptionalLong.of(5))).as("a second time").isEqualTo(ResetReply.CHANGED);
    assertThat(doneFor(5)).isEqualTo(5);
  }

  @Test
  void aMarkThatWasSetBackRisesAgain() {
    ScriptedClaim runner = node("a").claim(name()).mark(20);
    reach(10);
    runner.take();

    reset(10, OptionalLong.empty());
    assertThat(runner.releaseReaching(20)).isEqualTo(ReleaseReply.RELEASED);

    assertThat(doneFor(20)).isEqualTo(20);
  }

  @Test
  void aYieldReachesItsMarkAndKeepsTheName() {
    ScriptedClaim runner = node("a").claim(name()).mark(10);
    long token = runner.take().token();
    ScriptedClaim keeper = node("a").claim(name()).lease(Duration.ofSeconds(30));

    AcquireReply reply =
        Replies.of(
            store()
                .yieldGrant(
                    new Command.Yield(
                        new Command.Release(name(), runner.id(), token, OptionalLong.of(10), false),
                        keeper.acquisition(false))));

    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    assertThat(doneFor(10)).isEqualTo(10);
    node("b").claim(name()).mark(11).beRefused();
  }

  @Test
  void aLateCopyOfAYieldThatReachedItsMarkKeepsNothing() {
    ScriptedClaim runner = node("a").claim(name()).mark(10);
    long token = runner.take().token();
    ScriptedClaim keeper = node("a").claim(name()).lease(suite.shortLease());
    Command.Yield end =
        new Command.Yield(
            new Command.Release(name(), runner.id(), token, OptionalLong.of(10), false),
            keeper.acquisition(false));
    assertThat(Replies.of(store().yieldGrant(end))).isInstanceOf(AcquireReply.Granted.class);

    ScriptedNode b = node("b");
    until(
        "the lease of whoever kept it has ended",
        suite.shortLease().plus(LATE),
        () -> {
          ScriptedClaim next = b.claim(name()).mark(11);
          boolean free = next.askOnce() instanceof AcquireReply.Granted;
          next.release();
          return free;
        });
    assertThat(Replies.of(store().yieldGrant(end))).isNotInstanceOf(AcquireReply.Granted.class);

    b.claim(name()).mark(11).take();
  }

  @Test
  void aMarkRisesStepByStep() {
    reach(0);
    assertThat(doneFor(0)).isZero();
    reach(1);
    assertThat(doneFor(1)).isEqualTo(1);
    reach(Command.MAX_MARK - 1);
    assertThat(doneFor(Command.MAX_MARK - 1)).isEqualTo(Command.MAX_MARK - 1);
    ScriptedClaim last = node("z").claim(name()).mark(Command.MAX_MARK);
    last.take();
    last.releaseReaching(Command.MAX_MARK);
    assertThat(doneFor(Command.MAX_MARK)).isEqualTo(Command.MAX_MARK);
  }

  @Test
  void aClaimThatHoldsNothingReachesNothing() {
    ScriptedClaim holder = node("a").claim(name());
    holder.take();

    assertThat(node("b").claim(name()).releaseReaching(10)).isEqualTo(ReleaseReply.GONE);

    holder.release();
    node("c").claim(name()).mark(10).take();
  }

  @Test
  void aClaimWithoutAMarkIsNotStoppedByOne() {
    reach(10);

    node("b").claim(name()).take();
  }

  @Test
  void aMarkBelongsToItsName() {
    reach(10);

    node("b").claim(name("other")).mark(10).take();
  }

  @Test
  void aHolderWhoAsksAgainKeepsItsGrant() {
    ScriptedClaim holder = node("a").claim(name()).mark(10);
    long token = holder.take().token();

    assertThat(holder.take().token()).isEqualTo(token);
  }

  @Test
  @Needs(Capability.FAIR)
  void whoeverWaitsForAReachedMarkIsDismissedAndTold() {
    ScriptedClaim runner = node("a").claim(name()).mark(10);
    ScriptedNode b = node("b");
    ScriptedClaim standby = b.claim(name()).mark(10);
    runner.take();
    standby.enqueue();

    runner.releaseReaching(10);

    b.hearsOf(standby);
    assertThat(b.signals()).noneMatch(signal -> signal instanceof Signal.Granted);
    standby.mustBeGone();
    assertThat(Replies.as(AcquireReply.Done.class, standby.ask()).mark()).isEqualTo(10);
  }

  @Test
  @Needs(Capability.FAIR)
  void whoeverWaitsForALaterMarkIsGranted() {
    ScriptedClaim runner = node("a").claim(name()).mark(10);
    ScriptedClaim same = node("b").claim(name()).mark(10);
    ScriptedClaim later = node("c").claim(name()).mark(11);
    runner.take();
    same.enqueue();
    later.enqueue();

    runner.releaseReaching(10);

    later.mustHold();
    same.mustBeGone();
  }

  @Test
  @Needs(Capability.FAIR)
  void aStandbyTakesOverWhenTheRunnerFails() {
    ScriptedClaim runner = node("a").claim(name()).mark(10);
    ScriptedClaim standby = node("b").claim(name()).mark(10);
    runner.take();
    standby.enqueue();

    runner.release();

    standby.mustHold();
  }

  private ResetReply reset(long seen, OptionalLong to) {
    return Replies.of(store().reset(new Command.Reset(name(), seen, to)));
  }

  private void reach(long mark) {
    ScriptedClaim claim = node("reaches-" + mark).claim(name());
    claim.take();
    assertThat(claim.releaseReaching(mark)).isEqualTo(ReleaseReply.RELEASED);
  }

  private long doneFor(long mark) {
    AcquireReply reply = node("asks-" + mark).claim(name()).mark(mark).askOnce();
    return Replies.as(AcquireReply.Done.class, reply).mark();
  }
}
