package dev.pawl.machine;

import static dev.pawl.machine.Ask.SECOND;
import static dev.pawl.machine.Ask.exclusive;
import static dev.pawl.machine.Ask.permits;
import static dev.pawl.machine.Ask.shared;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Contention;
import dev.pawl.spi.RenewReply;
import org.junit.jupiter.api.Test;

/** Many who wait for one name. */
class LockMachineCrowdTest {

  private final Scene scene = new Scene();

  @Test
  void whoeverIsFarBackShowsLifeRarely() {
    scene.granted(exclusive("holder").lease(100 * SECOND));
    for (int i = 0; i < LockMachine.FAR_AHEAD + 2; i++) {
      scene.queued(exclusive("n" + i));
    }
    scene.pass(LockMachine.WAITER_ALIVE_MICROS);
    scene.renew(exclusive("holder").lease(100 * SECOND));
    assertThat(scene.queue()).containsExactly("n8", "n9");
    scene.pass(LockMachine.FAR_WAITER_ALIVE_MICROS - LockMachine.WAITER_ALIVE_MICROS);
    scene.renew(exclusive("holder").lease(100 * SECOND));
    assertThat(scene.queue()).isEmpty();
  }

  @Test
  void whoeverHasComeNearShowsLifeOftenFromItsNextSignOn() {
    scene.granted(exclusive("holder").lease(100 * SECOND));
    for (int i = 0; i <= LockMachine.FAR_AHEAD; i++) {
      scene.queued(exclusive("n" + i));
    }
    scene.cancel("n0", false);
    assertThat(scene.renew(exclusive("n8"))).isInstanceOf(RenewReply.Waiting.class);
    scene.pass(LockMachine.WAITER_ALIVE_MICROS);
    scene.renew(exclusive("holder").lease(100 * SECOND));
    assertThat(scene.queue()).isEmpty();
  }

  @Test
  void theWaitersOfANodeThatLetAGrantEndUnconfirmedGoWithIt() {
    scene.granted(exclusive("holder"));
    scene.queued(exclusive("dead"));
    for (int i = 0; i < LockMachine.FAR_AHEAD - 1; i++) {
      scene.queued(exclusive("n" + i));
    }
    scene.queued(of("dead", 2));
    scene.queued(of("other", 2));
    scene.release("holder");
    scene.pass(LockMachine.CLAIM_WINDOW_MICROS);
    assertThat(scene.renew(of("other", 2))).isInstanceOf(RenewReply.Held.class);
    assertThat(scene.queue()).isEmpty();
  }

  @Test
  void aWaiterThatWasHeardOfSinceIsNotTakenForDeadWithItsNode() {
    scene.granted(exclusive("holder"));
    scene.queued(exclusive("slow"));
    for (int i = 0; i < LockMachine.FAR_AHEAD + 1; i++) {
      scene.queued(exclusive("n" + i));
    }
    scene.queued(of("slow", 2));
    scene.release("holder");
    scene.pass(1);
    assertThat(scene.renew(of("slow", 2))).isInstanceOf(RenewReply.Waiting.class);
    scene.pass(LockMachine.CLAIM_WINDOW_MICROS - 1);
    assertThat(scene.renew(exclusive("n7"))).isInstanceOf(RenewReply.Held.class);
    assertThat(scene.queue()).containsExactly("n8", "slow");
  }

  @Test
  void whoeverKeepsOthersWaitingAndWasFarBackIsBidShowLife() {
    readersAheadOf(exclusive("writer"), shared("behind"));
    scene.release("holder"); // All the readers are granted, and the writer does not fit.
    assertThat(scene.queue()).containsExactly("writer", "behind");
    assertThat(scene.summoned()).containsExactly("writer", "behind");

    scene.renew(exclusive("writer"));
    confirmReaders();
    scene.pass(LockMachine.WAITER_ALIVE_MICROS - 1);
    confirmReaders();
    assertThat(scene.renew(shared("behind"))).isInstanceOf(RenewReply.Waiting.class);
    assertThat(scene.summoned()).as("by now it is known to be alive").isEmpty();
  }

  @Test
  void oneThatShowsNoLifeLosesItsPlaceToThoseWhoFit() {
    readersAheadOf(exclusive("dead"), exclusive("dead too"), shared("behind"));
    scene.release("holder");
    assertThat(scene.summoned()).containsExactly("dead", "dead too", "behind");
    confirmReaders();
    scene.pass(LockMachine.WAITER_ALIVE_MICROS - 1);
    assertThat(scene.renew(shared("behind"))).isInstanceOf(RenewReply.Waiting.class);
    scene.pass(1);
    assertThat(scene.renew(shared("behind"))).isInstanceOf(RenewReply.Held.class);
    assertThat(scene.queue()).isEmpty();
  }

  @Test
  void sevenWhoDiedTogetherKeepTheNextWaitingForTwoSeconds() {
    Ask[] behind = new Ask[LockMachine.FAR_AHEAD];
    for (int i = 0; i < behind.length - 1; i++) {
      behind[i] = exclusive("dead-" + i);
    }
    behind[behind.length - 1] = shared("behind");
    readersAheadOf(behind);
    scene.release("holder");
    assertThat(scene.summoned()).hasSize(behind.length).endsWith("behind");
    confirmReaders();

    Contention contention = ((RenewReply.Waiting) scene.renew(shared("behind"))).contention();
    assertThat(contention.ahead()).as("it asks again soon").isLessThan(LockMachine.FAR_AHEAD);
    scene.pass(LockMachine.WAITER_ALIVE_MICROS - 1);
    scene.renew(shared("behind"));
    scene.pass(1);
    assertThat(scene.renew(shared("behind"))).isInstanceOf(RenewReply.Held.class);
  }

  @Test
  void aSemaphoresCrowdIsNotBidShowLifeAtEachHandOver() {
    scene.granted(permits("holder", 1, 1));
    for (int i = 0; i < 3 * LockMachine.FAR_AHEAD; i++) {
      scene.queued(permits("n" + i, 1, 1));
    }
    for (int i = 0; i < 2 * LockMachine.FAR_AHEAD; i++) {
      scene.release(i == 0 ? "holder" : "n" + (i - 1));
      assertThat(scene.told()).containsExactly("n" + i);
      assertThat(scene.summoned()).isEmpty();
    }
  }

  @Test
  void nobodyIsBidShowLifeWhereNobodyIsKeptWaiting() {
    readersAheadOf(exclusive("writer"), exclusive("another"));
    scene.release("holder");
    assertThat(scene.summoned()).isEmpty();
  }

  /** A holder, as many readers as make those behind them far, and those. */
  private void readersAheadOf(Ask... behind) {
    scene.granted(exclusive("holder"));
    for (int i = 0; i < LockMachine.FAR_AHEAD; i++) {
      scene.queued(shared("r" + i));
    }
    for (Ask ask : behind) {
      scene.queued(ask);
    }
  }

  private void confirmReaders() {
    for (int i = 0; i < LockMachine.FAR_AHEAD; i++) {
      assertThat(scene.renew(shared("r" + i))).isInstanceOf(RenewReply.Held.class);
    }
  }

  private static Ask of(String node, long counter) {
    Ask ask = exclusive(node);
    return new Ask(
        new ClaimId(node, counter),
        ask.permits(),
        ask.capacity(),
        ask.leaseMicros(),
        ask.span(),
        ask.mark(),
        ask.queue(),
        ask.fair());
  }
}
