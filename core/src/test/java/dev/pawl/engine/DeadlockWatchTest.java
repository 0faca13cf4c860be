package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DeadlockException;
import dev.pawl.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** On a clock moved by hand: which waits are taken for a deadlock, and which are not. */
class DeadlockWatchTest {

  private final PuppetNode node = new PuppetNode(0);
  private final DeadlockWatch watch = new DeadlockWatch(node.engine);
  private final Thread first = new Thread("first");
  private final Thread second = new Thread("second");

  private Waiter call(Thread thread, Request request) {
    Waiter waiter = new Waiter(request, thread, false, node.engine.now(), Waiter.NO_DEADLINE);
    node.engine.start(waiter, false);
    return waiter;
  }

  private Waiter block(Thread thread, Request request) {
    Waiter waiter = call(thread, request);
    assertThat(waiter.outcome).isNotDone();
    watch.enter(waiter);
    return waiter;
  }

  private static Request lock(String name) {
    return Request.exclusive(name, LockOptions.DEFAULT);
  }

  private static Request permit() {
    return new Request("s", 1, 2, LockOptions.DEFAULT, OptionalLong.empty());
  }

  private static boolean isToldOfADeadlock(Waiter waiter) {
    return waiter.outcome.getNow(null) instanceof Outcome.Failed failed
        && failed.exception().get() instanceof DeadlockException;
  }

  @Test
  void aLookThatIsNotAnsweredIsRepeated() {
    call(first, lock("a"));
    call(second, lock("b"));
    node.heldBack = Set.of("find");
    Waiter older = block(first, lock("b"));
    node.pass(SECOND);
    Waiter younger = block(second, lock("a"));
    node.pass(5 * SECOND);
    assertThat(node.messages).isNotEmpty();

    node.heldBack = Set.of();
    node.pass(60 * SECOND);

    assertThat(older.outcome.isDone() || younger.outcome.isDone()).isTrue();
    assertThat(isToldOfADeadlock(older) || isToldOfADeadlock(younger)).isTrue();
  }

  @Test
  void aWaitThatEndsWhileItIsBeingPublishedIsNotShown() {
    Thread quick = new QuickThread();
    call(quick, lock("a"));
    call(second, lock("b"));
    Waiter waiter = block(quick, lock("b"));
    ((QuickThread) quick).waiter = waiter;

    node.pass(3 * SECOND);

    assertThat(watch.actor(quick)).isEqualTo(Actor.of(quick).toString());
  }

  /** A thread that gets what it waits for when its number is asked for the second time. */
  private final class QuickThread extends Thread {
    private Waiter waiter;
    private int asked;

    @Override
    public long getId() {
      if (waiter != null && ++asked == 2) {
        watch.exit(waiter);
      }
      return super.getId();
    }
  }

  @Test
  void aPermitThatSomebodyWhoDoesNotWaitWillGiveBackIsWaitedFor() {
    call(first, permit());
    HeldLease others = PuppetNode.lease(call(second, permit()));
    Waiter another = block(first, permit());

    node.pass(60 * SECOND);
    assertThat(another.outcome).as("its second permit").isNotDone();

    node.engine.releaseInBackground(others);
    PuppetNode.lease(another);
  }

  @Test
  void permitsThatAreAllHeldByWhoWaitsForThemAreADeadlock() {
    call(first, permit());
    call(first, permit());
    Waiter another = block(first, permit());

    node.pass(60 * SECOND);

    assertThat(isToldOfADeadlock(another)).isTrue();
  }

  @Test
  void theThreadOfTheTimersOnlyHandsTheSearchOver() {
    List<Runnable> handedOver = new ArrayList<>();
    node.search = handedOver::add;
    node.heldBack = Set.of("find");
    call(first, lock("a"));
    call(second, lock("b"));
    Waiter waiting = block(first, lock("b"));
    block(second, lock("a"));

    node.pass(30 * SECOND);
    assertThat(handedOver).as("one at a time").hasSize(1);
    assertThat(watch.actor(first)).isEqualTo(Actor.of(first).toString());

    for (int i = 0; i < 2; i++) {
      handedOver.remove(0).run();
      node.pass(2 * SECOND);
    }
    assertThat(node.messages).as("looked up by the search").hasSize(2);
    node.messages.forEach(PuppetNode.Message::answer);
    assertThat(handedOver).as("what comes of the answers").hasSizeGreaterThan(1);
    assertThat(waiting.outcome).isNotDone();
  }

  @Test
  void aNameIsLookedUpOnceForAllWhoWaitForItAndNotForThoseWhoHoldNothing() {
    call(first, lock("x"));
    for (int i = 0; i < 100; i++) {
      Thread holding = new Thread("holding" + i);
      call(holding, lock("own" + i));
      block(holding, lock("x"));
      block(new Thread("idle" + i), lock("x"));
    }
    node.heldBack = Set.of("find");
    node.pass(7 * SECOND / 2);
    assertThat(node.messages).hasSize(1);
  }

  @Test
  void aThreadMayWaitForItsOwnLeaseToRunOut() {
    LockOptions brief = LockOptions.DEFAULT.withLease(Duration.ofSeconds(20)).withRenewal(false);
    call(first, Request.exclusive("a", brief));
    call(first, lock("b"));
    Waiter waiting = block(first, lock("a"));

    node.pass(19 * SECOND);
    assertThat(waiting.outcome).isNotDone();
    node.pass(3 * SECOND);
    PuppetNode.lease(waiting);
  }
}
