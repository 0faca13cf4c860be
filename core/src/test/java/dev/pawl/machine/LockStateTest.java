package dev.pawl.machine;

import static dev.pawl.machine.Ask.LEASE;
import static dev.pawl.machine.Ask.SECOND;
import static dev.pawl.machine.Ask.exclusive;
import static dev.pawl.machine.Ask.permits;
import static dev.pawl.machine.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Shows what people see of a name, and when a store may forget it. */
class LockStateTest {

  private final Scene scene = new Scene();

  @Test
  void aDescriptionTellsWhoHoldsAndWhoWaits() {
    long token = scene.granted(shared("a").mark(3)).token();
    Instant since = Instant.ofEpochSecond(scene.now / SECOND);
    scene.queued(exclusive("b"));
    scene.queued(permits("c", 2, 4));
    scene.pass(SECOND);
    LockInfo info = LockMachine.describe("x", scene.state, scene.now);
    assertThat(info)
        .isEqualTo(
            new LockInfo(
                "x",
                token,
                OptionalLong.empty(),
                List.of(
                    new LockInfo.Holder(
                        "a/1",
                        "label a",
                        "actor a",
                        false,
                        1,
                        token,
                        since,
                        Duration.ofSeconds(9))),
                List.of(
                    new LockInfo.Waiter(
                        "b/1", "label b", "actor b", true, Command.EVERYTHING, since),
                    new LockInfo.Waiter("c/1", "label c", "actor c", false, 2, since))));
  }

  @Test
  void aDescriptionLeavesOutWhoIsOverByTheClock() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    scene.pass(LockMachine.WAITER_ALIVE_MICROS);
    assertThat(LockMachine.describe("x", scene.state, scene.now).waiters()).isEmpty();
    assertThat(LockMachine.describe("x", scene.state, scene.now).holders()).hasSize(1);
    scene.pass(LEASE);
    assertThat(LockMachine.describe("x", scene.state, scene.now).holders()).isEmpty();
  }

  @Test
  void aDescriptionShowsTheMarkAndTheHighestToken() {
    long token = scene.granted(exclusive("a").span(64).mark(3)).token();
    scene.release("a", token + 1, OptionalLong.of(3), false);
    LockInfo info = LockMachine.describe("x", scene.state, scene.now);
    assertThat(info.mark()).hasValue(3);
    assertThat(info.token()).isEqualTo(token + 1);
  }

  @Test
  void aNameThatNobodyUsedIsForgettable() {
    assertThat(LockState.EMPTY.isForgettable(1)).isTrue();
  }

  @Test
  void aNameIsKeptWhileSomebodyHoldsOrWaits() {
    scene.granted(exclusive("a"));
    scene.pass(SECOND);
    assertThat(scene.state.isForgettable(scene.now)).isFalse();
    scene.queued(exclusive("b"));
    scene.release("a");
    assertThat(scene.state.isForgettable(scene.now)).isFalse();
  }

  @Test
  void aNameIsKeptUntilTheClockHasPassedItsTokens() {
    long token = scene.granted(exclusive("a").span(64)).token();
    scene.release("a");
    assertThat(scene.state.isForgettable(token + 63)).isFalse();
    assertThat(scene.state.isForgettable(token + 64)).isTrue();
  }

  @Test
  void tokensGivenBackLetTheNameGoEarlier() {
    long token = scene.granted(exclusive("a").span(64)).token();
    scene.release("a", token, OptionalLong.empty(), false);
    assertThat(scene.state.isForgettable(token + 1)).isTrue();
  }

  @Test
  void aNameIsKeptWhileALateCopyMayBeUnderWay() {
    scene.cancel("a", true);
    assertThat(scene.state.isForgettable(scene.now + LockMachine.ENDED_MICROS - 1)).isFalse();
    assertThat(scene.state.isForgettable(scene.now + LockMachine.ENDED_MICROS)).isTrue();
  }

  @Test
  void aNameWhoseHolderAndWaitersAreOverIsForgettableThoughNobodyAsked() {
    scene.granted(exclusive("a"));
    scene.queued(exclusive("b"));
    assertThat(scene.state.isForgettable(scene.now + LEASE - 1)).isFalse();
    assertThat(scene.state.isForgettable(scene.now + LEASE)).isTrue();
  }

  @Test
  void aMarkIsKeptForItsRetention() {
    scene.granted(exclusive("a").mark(1));
    scene.release("a", 0, OptionalLong.of(1), false);
    long end = scene.now + Command.MIN_KEEP_MICROS;
    assertThat(scene.state.isForgettable(end)).isFalse();
    assertThat(scene.state.isForgettable(end + 1)).isTrue();
  }

  @Test
  void aMarkIsKeptForItsRetentionAfterARunLongerThanThat() {
    Ask ask = exclusive("a").mark(1).lease(Command.MIN_KEEP_MICROS);
    scene.granted(ask);
    scene.pass(Command.MIN_KEEP_MICROS - 1).renew(ask);
    scene.pass(Command.MIN_KEEP_MICROS - 1);
    scene.release("a", 0, OptionalLong.of(1), false);
    long end = scene.now + Command.MIN_KEEP_MICROS;
    assertThat(scene.state.isForgettable(end)).isFalse();
    assertThat(scene.state.isForgettable(end + 1)).isTrue();
  }

  @Test
  void aMarkIsKeptForAsLongAsItsReleaseSays() {
    scene.granted(exclusive("a").mark(1));
    long keep = 730L * 24 * 3600 * 1_000_000;
    scene.send(new Command.Release(Script.NAME, Ask.id("a"), 0, OptionalLong.of(1), keep, false));
    long end = scene.now + keep;
    assertThat(scene.state.isForgettable(end)).isFalse();
    assertThat(scene.state.isForgettable(end + 1)).isTrue();
  }

  @Test
  void aMarkThatIsKeptForLongIsNotKeptForLessByALaterOne() {
    scene.granted(exclusive("a").mark(1));
    long keep = 2 * Command.MIN_KEEP_MICROS;
    scene.send(new Command.Release(Script.NAME, Ask.id("a"), 0, OptionalLong.of(1), keep, false));
    long end = scene.now + keep;
    scene.granted(exclusive("b").mark(2));
    scene.release("b", 0, OptionalLong.of(2), false);
    assertThat(scene.state.isForgettable(end)).isFalse();
    assertThat(scene.state.isForgettable(end + 1)).isTrue();
  }
}
