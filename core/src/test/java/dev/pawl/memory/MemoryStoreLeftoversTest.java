package dev.pawl.memory;

import static dev.pawl.memory.StoreScene.LEASE;
import static dev.pawl.memory.StoreScene.ask;
import static dev.pawl.memory.StoreScene.id;
import static dev.pawl.memory.StoreScene.now;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockMachine;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Shows that a name nobody uses leaves nothing behind in the reference store (I10). */
class MemoryStoreLeftoversTest {

  private final StoreScene scene = new StoreScene();
  private final MemoryStore store = scene.store;

  @Test
  void aReleasedNameIsForgotten() {
    Grant grant = scene.hold(ask("x", "a"));
    assertThat(store.size()).isEqualTo(1);
    scene.clock.addAndGet(1);
    scene.free("x", grant);
    assertThat(store.size()).isZero();
  }

  @Test
  void aNameWhoseTokensRanAheadOfTheClockIsForgottenOnceItHasPassedThem() {
    long token = scene.hold(ask("x", id("a"), 64, OptionalLong.empty())).token();
    now(store.cancel(new Command.Cancel("x", id("a"), false)));
    assertThat(store.size()).isEqualTo(1);
    assertThat(scene.hold(ask("x", "b")).token()).isEqualTo(token + 64);
    now(store.cancel(new Command.Cancel("x", id("b"), false)));
    scene.clock.addAndGet(64);
    assertThat(store.size()).isEqualTo(1);
    scene.clock.addAndGet(1);
    assertThat(store.size()).isZero();
  }

  @Test
  void aNameWithAMarkIsForgottenAfterItsRetention() {
    Grant grant = scene.hold(ask("x", id("a"), 1, OptionalLong.of(5)));
    now(store.release(StoreScene.release("x", grant, OptionalLong.of(5))));
    scene.clock.addAndGet(Command.MIN_KEEP_MICROS);
    assertThat(store.size()).isEqualTo(1);
    assertThat(now(store.acquire(ask("x", id("b"), 1, OptionalLong.of(5)))))
        .isEqualTo(new AcquireReply.Done(5));
    scene.clock.addAndGet(1);
    assertThat(store.size()).isZero();
  }

  @Test
  void aNameWhoseHolderWasEvictedIsForgottenWhenNoCopyCanCome() {
    Grant grant = scene.hold(ask("x", "a"));
    now(store.evict(new Command.Evict("x", grant.token())));
    scene.clock.addAndGet(LockMachine.ENDED_MICROS - 1);
    assertThat(store.size()).isEqualTo(1);
    scene.clock.addAndGet(1);
    assertThat(store.size()).isZero();
  }

  @Test
  void aNameOfAClaimThatEndedLateIsForgottenWhenNoCopyCanCome() {
    now(store.cancel(new Command.Cancel("x", id("a"), true)));
    scene.clock.addAndGet(LockMachine.ENDED_MICROS - 1);
    assertThat(store.size()).isEqualTo(1);
    scene.clock.addAndGet(1);
    assertThat(store.size()).isZero();
  }

  @Test
  void aNameWhoseHolderAndWaitersDiedIsForgottenThoughNobodyAsksAgain() {
    scene.hold(ask("x", "a"));
    scene.queue(ask("x", "b"));
    scene.clock.addAndGet(LEASE - 1);
    assertThat(store.size()).isEqualTo(1);
    scene.clock.addAndGet(1);
    assertThat(store.size()).isZero();
  }

  @Test
  void whatFindsNothingLeavesNothing() {
    now(store.cancel(new Command.Cancel("x", id("a"), false)));
    now(store.evict(new Command.Evict("x", 5)));
    now(store.release(new Command.Release("x", id("a"), 5, OptionalLong.empty(), false)));
    now(store.find("x"));
    assertThat(remembered()).isZero();
  }

  @Test
  void usingANameForgetsOthersThatAreOver() {
    for (int i = 0; i < 1_000; i++) {
      scene.hold(ask("dropped " + i, "a"));
    }
    assertThat(remembered()).isEqualTo(1_000);
    scene.clock.addAndGet(LEASE);
    now(store.cancel(new Command.Cancel("other", id("b"), false)));
    assertThat(remembered()).isZero();
  }

  @Test
  void namesThatComeFasterThanTheyGoAreForgottenAllTheSame() {
    // Each is used once, and its lease ends while the next hundred come.
    for (int i = 0; i < 10_000; i++) {
      scene.hold(ask("once " + i, "a"));
      scene.clock.addAndGet(LEASE / 100);
    }
    assertThat(remembered()).isLessThan(300);
  }

  /** Counts without cleaning up: at the beginning of time, nothing may be forgotten. */
  private int remembered() {
    long now = scene.clock.getAndSet(0);
    try {
      return store.size();
    } finally {
      scene.clock.set(now);
    }
  }
}
