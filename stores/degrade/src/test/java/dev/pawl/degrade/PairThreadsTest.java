package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.degrade.protocol.Stores;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

/** A node that gets no thread for a while, as where a container may have no more of them. */
class PairThreadsTest {

  private record Event(long at, long order, Runnable task) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private long now;
  private long order;
  private boolean noThread;

  /** A store whose driver blocks, so that each call needs a thread. */
  private static LockStore blocking() {
    return new ForwardingStore(new MemoryStore()) {
      @Override
      public boolean blocking() {
        return true;
      }
    };
  }

  private Surroundings world() {
    return new Surroundings(
        () -> now,
        (nanos, task) -> events.add(new Event(now + nanos, order++, task)),
        task -> {
          if (noThread) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          task.run();
        },
        () -> {});
  }

  /** What a timer's task throws is nobody's, as in the executor of a real node. */
  private void pass(Duration time) {
    long end = now + time.toNanos();
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event event = events.poll();
      now = event.at();
      try {
        event.task().run();
      } catch (OutOfMemoryError e) {
        assertThat(noThread).isTrue();
      }
    }
    now = end;
  }

  private boolean isLeased(PairState state) {
    return state.locked(after -> state.isLeased(now));
  }

  @Test
  void aNodeThatFoundNoThreadRenewsItsModeLeaseWhenThereAreSomeAgain() {
    Surroundings world = world();
    PairOptions options = PairOptions.DEFAULT;
    PairStore pair =
        new PairStore(
            world,
            "a",
            options,
            new Stores("p", "b", options.modeLease().toMillis()),
            Opening.of(world, new MemoryStore(), blocking(), options),
            false);
    pair.begin();
    pass(Duration.ofMinutes(1));
    noThread = true;
    // Long enough for a renewal to be due, which is not sent.
    pass(options.modeLease().dividedBy(2));
    assertThat(isLeased(pair.state())).isTrue();
    noThread = false;
    pass(options.modeLease().multipliedBy(5));
    assertThat(isLeased(pair.state())).isTrue();
    assertThat(pair.find("x").toCompletableFuture()).isCompleted();
  }

  @Test
  void aCallThatFoundNoThreadIsNotUnderWay() {
    Side side = Side.ofBackup(world(), 1);
    side.onOpened(blocking());
    noThread = true;
    var unsent = side.call(LockStore::nowMicros).toCompletableFuture();
    assertThat(unsent).isCompletedExceptionally();
    noThread = false;
    assertThat(side.call(LockStore::nowMicros).toCompletableFuture()).isCompleted();
  }
}
