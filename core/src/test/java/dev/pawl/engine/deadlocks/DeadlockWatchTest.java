package dev.pawl.engine.deadlocks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DeadlockException;
import dev.pawl.LockOptions;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.HeldLease;
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

  private Caller call(Thread thread, Request request) {
    Caller caller = new Caller(request, thread, false, node.engine.now(), Caller.NO_DEADLINE);
    node.engine.start(caller, false);
    return caller;
  }

  private Caller block(Thread thread, Request request) {
    Caller caller = call(thread, request);
    assertThat(caller.outcome).isNotDone();
    watch.enter(caller);
    return caller;
  }

  private static Request lock(String name) {
    return Request.exclusive(name, LockOptions.DEFAULT);
  }

  private static Request permit() {
    return new Request("s", 1, 2, LockOptions.DEFAULT, OptionalLong.empty());
  }

  private static boolean isToldOfADeadlock(Caller caller) {
    return caller.outcome.getNow(null) instanceof CallResult.Failed failed
        && failed.exception().get() instanceof DeadlockException;
  }

  @Test
  void aLookThatIsNotAnsweredIsRepeated() {
    call(first, lock("a"));
    call(second, lock("b"));
    node.heldBack = Set.of("find");
    Caller older = block(first, lock("b"));
    node.pass(SECOND);
    Caller younger = block(second, lock("a"));
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
    Caller caller = block(quick, lock("b"));
    ((QuickThread) quick).caller = caller;

    node.pass(3 * SECOND);

    assertThat(watch.actor(quick)).isEqualTo(Actor.of(quick).toString());
  }

  /** A thread that gets what it waits for when its number is asked for the second time. */
  private final class QuickThread extends Thread {
    private Caller caller;
    private int asked;

    @Override
    public long getId() {
      if (caller != null && ++asked == 2) {
        watch.exit(caller);
      }
      return super.getId();
    }
  }

  @Test
  void aPermitThatSomebodyWhoDoesNotWaitWillGiveBackIsWaitedFor() {
    call(first, permit());
    HeldLease others = PuppetNode.lease(call(second, permit()));
    Caller another = block(first, permit());

    node.pass(60 * SECOND);
    assertThat(another.outcome).as("its second permit").isNotDone();

    node.engine.releaseInBackground(others);
    PuppetNode.lease(another);
  }

  @Test
  void permitsThatAreAllHeldByWhoWaitsForThemAreADeadlock() {
    call(first, permit());
    call(first, permit());
    Caller another = block(first, permit());

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
    Caller waiting = block(first, lock("b"));
    block(second, lock("a"));

    node.pass(30 * SECOND);
    assertThat(handedOver).as("one at a time").hasSize(1);
    assertThat(watch.actor(first)).isEqualTo(Actor.of(first).toString());

    for (int i = 0; i < 2; i++) {
      handedOver.remove(0).run();
      node.pass(2 * SECOND);
    }
    assertThat(node.messages).as("looked up by the search").hasSizeGreaterThan(1);
    List.copyOf(node.messages).forEach(PuppetNode.Message::answer);
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
    Caller waiting = block(first, lock("a"));

    node.pass(19 * SECOND);
    assertThat(waiting.outcome).isNotDone();
    node.pass(3 * SECOND);
    PuppetNode.lease(waiting);
  }
}
