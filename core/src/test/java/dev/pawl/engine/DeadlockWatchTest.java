package dev.pawl.engine;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DeadlockException;
import dev.pawl.LockOptions;
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
}
