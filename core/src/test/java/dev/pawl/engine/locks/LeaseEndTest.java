package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockEvent;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.engine.NodeInspector;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases that end without a close: forgotten, as planned, or with their node. */
class LeaseEndTest {

  private static final LockOptions BRIEF = LockOptions.DEFAULT.withLease(Duration.ofSeconds(6));

  private final PuppetNode node = new PuppetNode(0);

  @Test
  @Timeout(60)
  void aLeaseWhoseHandleIsGoneEndsAndOthersDoNot() throws Exception {
    MemoryStore store = new MemoryStore();
    try (Pawl pawl = Pawl.builder(store).traceAcquires(true).build();
        Pawl other = Pawl.builder(store).build()) {
      Lease kept = pawl.lock("kept").acquire();
      CountDownLatch told = new CountDownLatch(2);
      BlockingQueue<String> reasons = new LinkedBlockingQueue<>();
      pawl.listen(
          event -> {
            if (event instanceof LockEvent.Lost lost) {
              reasons.add(lost.reason());
            }
          });
      forget(pawl, told);
      while (!told.await(10, TimeUnit.MILLISECONDS)) {
        System.gc();
      }
      other.lock("taken").acquire(Duration.ofSeconds(10)).close();
      other.lock("async").acquire(Duration.ofSeconds(10)).close();
      kept.close(); // It had not been lost.
      for (int i = 0; i < 2; i++) {
        assertThat(reasons.poll(10, TimeUnit.SECONDS)).contains("forgotten");
      }
    }
  }

  private static void forget(Pawl pawl, CountDownLatch told) throws Exception {
    pawl.lock("taken", BRIEF).acquire().onLost(told::countDown);
    CompletableFuture<Lease> future = pawl.lock("async", BRIEF).acquireAsync(Duration.ofSeconds(1));
    future.get().onLost(told::countDown);
    future.cancel(false); // Too late, and it does nothing.
  }

  @Test
  void aLeaseThatEndsAsPlannedIsNotInTheJournal() {
    List<LockEvent> events = new ArrayList<>();
    node.engine.events().listen(events::add);
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT.withRenewal(false), 0));
    List<String> told = new ArrayList<>();
    lease.onLost(() -> told.add("lost"));
    node.pass(11 * SECOND);
    assertThat(told).containsExactly("lost");
    assertThat(lease.lost()).hasMessageContaining("not renewed");
    assertThat(events).anyMatch(LockEvent.Lost.class::isInstance);
    assertThat(node.server.journal().read("x", 10).toCompletableFuture().join()).isEmpty();
  }

  @Test
  void aLeaseThatIsHeldForLongIsWarnedOfOnce() {
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    node.pass(59 * SECOND);
    assertThat(lease.isHeldForLong(node.engine.now() + 2 * SECOND)).isTrue();
    assertThat(lease.isHeldForLong(node.engine.now() + 2 * SECOND)).isFalse();

    HeldLease longer = PuppetNode.lease(node.call("y", LockOptions.DEFAULT, 0));
    node.pass(70 * SECOND);
    assertThat(longer.isHeldForLong(node.engine.now())).as("the timer was first").isFalse();
  }

  @Test
  void workUnderALeaseIsToldThatItsNodeIsClosed() {
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    HeldLease closed = PuppetNode.lease(node.call("y", LockOptions.DEFAULT, 0));
    List<String> told = new ArrayList<>();
    lease.onLost(() -> told.add("x"));
    closed.onLost(() -> told.add("y"));
    closed.close();
    node.engine.close();
    assertThat(told).containsExactly("x");
    lease.close();
  }

  @Test
  void theNodeKnowsWhatItHoldsAndWhoWaitsInIt() {
    NodeLock lock = new NodeLock(node.engine, Request.exclusive("x", LockOptions.DEFAULT));
    NodeLock reading = new NodeLock(node.engine, Request.shared("x", LockOptions.DEFAULT));
    assertThat(lock.isHeldByThisNode()).isFalse();
    HeldLease lease = PuppetNode.lease(node.call("x", BRIEF, 0));
    assertThat(lock.isHeldByThisNode()).isTrue();
    assertThat(reading.isHeldByThisNode()).isFalse();
    node.call("x", LockOptions.DEFAULT, SECOND);
    node.call("x", LockOptions.DEFAULT, SECOND);
    NodeInspector inspector = new NodeInspector(node.engine, () -> {}, () -> {}, () -> {});
    assertThat(inspector.find("x").map(LockInfo::localWaiters)).contains(2);
    assertThat(inspector.list("", 10)).extracting(LockInfo::localWaiters).containsExactly(2);
    node.pass(2 * SECOND);
    assertThat(inspector.find("x").map(LockInfo::localWaiters)).contains(0);
    lease.close();
    assertThat(lock.isHeldByThisNode()).isFalse();
  }
}
