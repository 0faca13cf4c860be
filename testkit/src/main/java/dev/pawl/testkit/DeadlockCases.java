package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedReadWriteLock;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Threads that wait for each other across nodes are found, and one of them is told. */
@Needs({Capability.INSPECT, Capability.SHARED})
abstract class DeadlockCases extends ApiCases {

  DeadlockCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void threadsThatWaitInACircleAreFound() throws Exception {
    Pawl a = pawl("node-a");
    Pawl b = pawl("node-b");
    // Both kinds of circle at once: each takes seconds to be found.
    Background<Lease> reader = Background.start("reader", () -> readThenWrite(a));
    CyclicBarrier bothHoldOne = new CyclicBarrier(2);
    Background<String> first =
        Background.start("first", () -> both(a, name("1"), name("2"), bothHoldOne, options()));
    Background<String> second =
        Background.start("second", () -> both(b, name("2"), name("1"), bothHoldOne, options()));
    LockOptions unrenewed = options().withLease(LONG.multipliedBy(2)).withRenewal(false);
    CyclicBarrier alsoHoldOne = new CyclicBarrier(2);
    Background<String> third =
        Background.start("third", () -> both(a, name("3"), name("4"), alsoHoldOne, unrenewed));
    Background<String> fourth =
        Background.start("fourth", () -> both(b, name("4"), name("3"), alsoHoldOne, unrenewed));

    List<String> ends = List.of(first.result(), second.result());
    assertThat(List.of(third.result(), fourth.result()))
        .as("one of the two whose leases are not renewed is told")
        .containsOnlyOnce("got both");

    assertThat(ends).as("one of the two is told").containsOnlyOnce("got both");
    String told = ends.get(ends.indexOf("got both") == 0 ? 1 : 0);
    assertThat(told).contains(name("1"), name("2"), "node-a", "node-b", "first", "second");
    assertThat(reader.failure())
        .as("a reader who waits for himself to have read")
        .isInstanceOf(DeadlockException.class)
        .hasMessageContaining(name("read"));
  }

  private Lease readThenWrite(Pawl pawl) throws InterruptedException {
    DistributedReadWriteLock lock = pawl.readWriteLock(name("read"));
    try (Lease reading = lock.readLock().acquire()) {
      reading.ensureHeld();
      return lock.writeLock().acquire();
    }
  }

  private static String both(
      Pawl pawl, String one, String two, CyclicBarrier barrier, LockOptions options)
      throws Exception {
    try (Lease first = pawl.lock(one, options).acquire()) {
      barrier.await();
      try (Lease second = pawl.lock(two, options).acquire()) {
        first.ensureHeld();
        second.ensureHeld();
        return "got both";
      } catch (DeadlockException e) {
        return "" + e.getMessage();
      }
    }
  }
}
