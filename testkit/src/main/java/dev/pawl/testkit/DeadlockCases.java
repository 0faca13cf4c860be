package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedReadWriteLock;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Threads that wait for each other across nodes are found, and one of them is told. */
@Needs(Capability.INSPECT)
abstract class DeadlockCases extends ApiCases {

  DeadlockCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void oneOfTwoNodesThatWaitForEachOtherIsTold() throws Exception {
    Pawl a = pawl("node-a");
    Pawl b = pawl("node-b");
    CyclicBarrier bothHoldOne = new CyclicBarrier(2);
    Background<String> first =
        Background.start("first", () -> both(a, name("1"), name("2"), bothHoldOne));
    Background<String> second =
        Background.start("second", () -> both(b, name("2"), name("1"), bothHoldOne));

    List<String> ends = List.of(first.result(), second.result());

    assertThat(ends).containsOnlyOnce("got both");
    String told =
        Stream.of(ends.get(0), ends.get(1)).filter(s -> !s.equals("got both")).findFirst().get();
    assertThat(told).contains(name("1"), name("2"), "node-a", "node-b", "first", "second");
  }

  @Test
  @Needs(Capability.SHARED)
  void aReaderByLeaseWhoWaitsToWriteIsTold() throws Exception {
    DistributedReadWriteLock lock = pawl("a").readWriteLock(name());

    Throwable failure =
        Background.start(
                "reader",
                () -> {
                  try (Lease reading = lock.readLock().acquire()) {
                    reading.ensureHeld();
                    return lock.writeLock().acquire();
                  }
                })
            .failure();

    assertThat(failure).isInstanceOf(DeadlockException.class).hasMessageContaining(name());
  }

  private static String both(Pawl pawl, String one, String two, CyclicBarrier barrier)
      throws Exception {
    try (Lease first = pawl.lock(one).acquire()) {
      barrier.await();
      try (Lease second = pawl.lock(two).acquire()) {
        first.ensureHeld();
        second.ensureHeld();
        return "got both";
      } catch (DeadlockException e) {
        return "" + e.getMessage();
      }
    }
  }
}
