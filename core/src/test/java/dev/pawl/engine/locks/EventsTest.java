package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.JournalEntry;
import dev.pawl.Lease;
import dev.pawl.LockEvent;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.engine.NodeInspector;
import dev.pawl.engine.PuppetNode;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What listeners, callbacks and the journal are told. */
class EventsTest {

  private final MemoryStore store = new MemoryStore();
  private final BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();

  private Pawl node() {
    return Pawl.builder(store).label("me").callbackExecutor(Runnable::run).build();
  }

  private List<LockEvent> told() {
    List<LockEvent> all = new ArrayList<>();
    events.drainTo(all);
    return all;
  }

  @Test
  void aListenerHearsOfGrantsRefusalsAndReleases() throws Exception {
    try (Pawl pawl = node()) {
      pawl.listen(events::add);
      Lease lease = pawl.lock("x").acquire();
      assertThat(pawl.lock("x").tryAcquire()).isEmpty();
      lease.close();
      assertThat(told())
          .hasSize(3)
          .satisfiesExactly(
              event ->
                  assertThat(event)
                      .isInstanceOfSatisfying(
                          LockEvent.Acquired.class,
                          acquired -> {
                            assertThat(acquired.token()).isEqualTo(lease.token());
                            assertThat(acquired.passed()).isFalse();
                          }),
              event -> assertThat(event).isInstanceOf(LockEvent.Refused.class),
              event -> assertThat(event).isInstanceOf(LockEvent.Released.class));
    }
  }

  @Test
  void aListenerThatThrowsDisturbsNobody() throws Exception {
    try (Pawl pawl = node()) {
      pawl.listen(
          event -> {
            throw new IllegalStateException("not my day");
          });
      Runnable end = pawl.listen(events::add);
      pawl.lock("x").acquire().close();
      assertThat(told()).hasSize(2);
      end.run();
      pawl.lock("x").acquire().close();
      assertThat(told()).isEmpty();
    }
  }

  @Test
  void aLossIsToldToTheOwnerTheListenerAndTheJournal() throws Exception {
    try (Pawl pawl = node()) {
      pawl.listen(events::add);
      CountDownLatch lost = new CountDownLatch(2);
      Lease lease = pawl.lock("x").acquire();
      lease.onLost(lost::countDown);
      assertThat(pawl.inspector().forceRelease("x", lease.token(), "ann", "it hangs")).isTrue();
      lease.onLost(lost::countDown);
      assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(lease.isHeld()).isFalse();
      assertThat(told()).anyMatch(event -> event instanceof LockEvent.Lost);
      assertThat(pawl.inspector().journal("x", 10))
          .extracting(JournalEntry::kind)
          .containsExactlyInAnyOrder(
              JournalEntry.Kind.FORCED_RELEASE, JournalEntry.Kind.LEASE_LOST);
    }
  }

  @Test
  void aLockWhoseThreadEndedWithoutUnlockingIsReleased() throws Exception {
    LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMillis(300));
    try (Pawl pawl = node();
        Pawl other = node()) {
      Thread forgetful = new Thread(() -> pawl.lock("x", options).lock());
      forgetful.start();
      forgetful.join();
      assertThat(other.lock("x").tryAcquire(Duration.ofSeconds(10))).isPresent();
    }
  }

  @Test
  void aForcedReleaseThatWorkedSaysSoThoughItsJournalEntryFailed() {
    PuppetNode node = new PuppetNode(0);
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    node.broken = Map.of("journal", new Error("the disk is full"));
    assertThat(
            new NodeInspector(node.engine, () -> {}, () -> {}, () -> {})
                .forceRelease("x", lease.token(), "ann", "why"))
        .isTrue();
    assertThat(lease.isHeld()).isFalse();
  }
}
