package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the mode of a pair changes, and is not changed, with the real store. */
@Timeout(60)
class PairModesTest {

  private static final PairOptions OPTIONS =
      PairOptions.DEFAULT
          .withModeLease(Duration.ofSeconds(20))
          .withDeadAfter(Duration.ofMillis(600))
          .withReturnAfter(Duration.ofMillis(300));

  /** So long that nothing ends by itself meanwhile. */
  private static final LockOptions LEASE = LockOptions.DEFAULT.withLease(Duration.ofMinutes(5));

  private final MemoryStore primary = new MemoryStore();
  private final MemoryStore backup = new MemoryStore();

  /** A node, and its ways to the stores. */
  private final class Node implements AutoCloseable {
    final CutOffStore toPrimary = new CutOffStore(primary);
    final CutOffStore toBackup = new CutOffStore(backup);
    final PairStore pair;
    final Pawl pawl;

    Node(PairOptions options) {
      pair = PairStore.open(toPrimary, toBackup, options);
      pawl = Pawl.builder(pair).build();
    }

    PairStatus status() {
      return pair.status().toCompletableFuture().join();
    }

    PairStatus await(Predicate<PairStatus> state) {
      PairStatus now = status();
      while (!state.test(now)) {
        LockSupport.parkNanos(5_000_000);
        now = status();
      }
      return now;
    }

    void await(Mode mode) {
      await(status -> status.mode() == mode);
    }

    Lease acquire(String name) throws InterruptedException {
      while (true) {
        try {
          return pawl.lock(name, LEASE).acquire();
        } catch (StoreUnavailableException | OutcomeUnknownException e) {
          LockSupport.parkNanos(10_000_000);
        }
      }
    }

    @Override
    public void close() {
      pawl.close();
      pair.close();
    }
  }

  @Test
  void aNodeWithoutAVoteDecidesNothingAndFollows() throws Exception {
    try (Node voter = new Node(OPTIONS);
        Node command = new Node(OPTIONS.withVotes(false))) {
      command.toPrimary.away = true;
      PairStatus seen = voter.await(s -> s.nodes().stream().anyMatch(node -> !node.reaches()));
      assertThat(seen.nodes()).filteredOn(node -> !node.votes()).hasSize(1);
      assertThat(seen.mode()).isEqualTo(Mode.PRIMARY);
      assertThat(seen.epoch()).isEqualTo(1);
      assertThatThrownBy(() -> command.pawl.lock("x").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class);
      voter.acquire("x").close();

      voter.toPrimary.away = true;
      voter.await(Mode.BACKUP);
      command.acquire("x").close();
    }
  }

  @Test
  @Tag("safety")
  void aPrimaryThatIsBackWhileItIsLeftIsStayedIn() throws Exception {
    try (Node a = new Node(OPTIONS);
        Node b = new Node(OPTIONS);
        Node c = new Node(OPTIONS)) {
      Lease lease = a.acquire("x");
      CountDownLatch told = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      lease.onLost(
          () -> {
            told.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      for (Node node : new Node[] {a, b, c}) {
        node.toPrimary.away = true;
      }
      told.await();
      assertThat(b.status().mode()).as("a has not confirmed").isEqualTo(Mode.LEAVING);
      for (Node node : new Node[] {a, b, c}) {
        node.toPrimary.away = false;
      }
      PairStatus back = b.await(status -> status.mode() != Mode.LEAVING);
      assertThat(back.mode()).isEqualTo(Mode.PRIMARY);
      assertThat(back.epoch()).isEqualTo(3);
      assertThat(lease.isHeld()).isFalse();
      b.acquire("y").close();
      assertThat(b.pawl.lock("x").tryAcquire()).as("what ran under it has not ended").isEmpty();
      goOn.countDown();
      try (Lease next = b.acquire("x")) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
    }
  }

  @Test
  @Tag("safety")
  void aPrimaryThatDiesWhileTheLocksReturnTakesNothingAway() throws Exception {
    try (Node a = new Node(OPTIONS);
        Node b = new Node(OPTIONS)) {
      a.toPrimary.away = true;
      b.toPrimary.away = true;
      a.await(Mode.BACKUP);
      Lease lease = a.acquire("x");
      // What a holds cannot be taken in the primary: the return does not end.
      CompletableFuture<Void> gate = new CompletableFuture<>();
      a.toPrimary.gate = gate;
      a.toPrimary.away = false;
      b.toPrimary.away = false;
      b.await(Mode.RETURNING);
      assertThat(b.pawl.lock("x").tryAcquire()).isEmpty();
      a.toPrimary.away = true;
      b.toPrimary.away = true;
      b.await(Mode.BACKUP);
      gate.complete(null);
      lease.confirm();
      assertThat(lease.isHeld()).isTrue();
      assertThat(b.pawl.lock("x").tryAcquire()).isEmpty();

      a.toPrimary.away = false;
      b.toPrimary.away = false;
      b.await(Mode.PRIMARY);
      lease.confirm();
      assertThat(lease.isHeld()).isTrue();
      lease.close();
      try (Lease next = b.acquire("x")) {
        assertThat(next.token()).isGreaterThan(lease.token());
      }
    }
  }

  @Test
  void whoOnlyLooksIsNotListedAndWritesNothing() throws Exception {
    try (Node node = new Node(OPTIONS);
        Lease lease = node.acquire("x")) {
      node.pair.stop(); // So that nobody else writes.
      long before = version();
      try (PairStore looks =
          Joining.look(
              () -> {
                throw new StoreUnavailableException("the primary is dead", null);
              },
              new CutOffStore(backup),
              OPTIONS)) {
        PairStatus status = looks.status().toCompletableFuture().join();
        assertThat(status.nodes()).hasSize(1);
        assertThat(status.mode()).isEqualTo(Mode.PRIMARY);
      }
      LockStore toPrimary = new CutOffStore(primary);
      try (PairStore looks = Joining.look(() -> toPrimary, new CutOffStore(backup), OPTIONS)) {
        assertThat(looks.find("x").toCompletableFuture().join().orElseThrow().holders())
            .extracting(LockInfo.Holder::token)
            .containsExactly(lease.token());
        assertThat(looks.examine().toCompletableFuture().join()).isNotEmpty();
      }
      assertThat(version()).isEqualTo(before);
    }
  }

  @Test
  void whoMovesTheLocksWithoutBeingANodeIsNotListed() {
    try (Node node = new Node(OPTIONS);
        PairStore looks =
            Joining.look(() -> new CutOffStore(primary), new CutOffStore(backup), OPTIONS)) {
      for (Mode to : new Mode[] {Mode.BACKUP, Mode.PRIMARY}) {
        PairStatus seen = looks.status().toCompletableFuture().join();
        looks.move(seen, to, "alice", "a test").toCompletableFuture().join();
        node.await(to);
        assertThat(node.status().nodes()).hasSize(1);
      }
    }
  }

  private long version() {
    return backup.registers().read(ModeRegister.KEY).toCompletableFuture().join().version();
  }

  @Test
  void aNodeThatClosesIsNotListedAnyMore() throws Exception {
    try (Node node = new Node(OPTIONS)) {
      try (Node other = new Node(OPTIONS.withVotes(false))) {
        other.acquire("x").close();
        other.acquire("kept").closeAfter(Duration.ofHours(1));
        assertThat(node.status().nodes()).hasSize(2);
      }
      assertThat(node.status().nodes()).hasSize(1);
    }
  }

  @Test
  void aBackupThatHasForgottenIsNotFollowed() throws Exception {
    try (Node node = new Node(OPTIONS.withModeLease(Duration.ofSeconds(2)))) {
      node.pair.move(node.status(), Mode.BACKUP, "alice", "a test").toCompletableFuture().join();
      node.await(Mode.BACKUP);
      Lease lease = node.acquire("x");
      CountDownLatch lost = new CountDownLatch(1);
      lease.onLost(lost::countDown);
      while (!isSetBack()) {
        Thread.onSpinWait(); // The node has renewed its mode lease in between.
      }
      lost.await();
      assertThatThrownBy(() -> node.pawl.lock("x").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  /** Writes the record as it was in the first epoch; false if somebody else was faster. */
  private boolean isSetBack() {
    Register record = backup.registers().read(ModeRegister.KEY).toCompletableFuture().join();
    String early = record.value().orElseThrow().replaceFirst("\nepoch .*", "\nepoch 1 1");
    return backup.registers().compareAndSet(record, Optional.of(early)).toCompletableFuture().join()
        instanceof RegisterReply.Written;
  }

  @Test
  @Tag("safety")
  void whatRanUnderALeaseThatThePrimaryHasLostIsWaitedForToo() throws Exception {
    List<Consumer<Signal>> listeners = new CopyOnWriteArrayList<>();
    List<Command.Acquire> asked = new CopyOnWriteArrayList<>();
    LockStore sessions =
        new ForwardingStore(primary) {
          @Override
          public Subscription subscribe(String node, Consumer<Signal> listener) {
            listeners.add(listener);
            return super.subscribe(node, listener);
          }

          @Override
          public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
            asked.add(command);
            return super.acquire(command);
          }
        };
    try (PairStore pair = PairStore.open(sessions, backup, OPTIONS);
        Pawl pawl = Pawl.builder(pair).build()) {
      Lease lease = pawl.lock("x", LEASE).acquire();
      CountDownLatch told = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      lease.onLost(
          () -> {
            told.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      Command.Acquire mine =
          asked.stream().filter(command -> command.name().equals("x")).findFirst().orElseThrow();
      listeners.forEach(
          listener -> listener.accept(new Signal.Lost("x", mine.claim(), "the session is over")));
      told.await();
      PairStatus before = pair.status().toCompletableFuture().join();
      pair.move(before, Mode.BACKUP, "alice", "a test").toCompletableFuture().join();
      PairStatus leaving = pair.status().toCompletableFuture().join();
      assertThat(leaving.mode()).isEqualTo(Mode.LEAVING);
      boolean idle = pair.state().locked(after -> pair.state().belief.isIdle());
      assertThat(idle).isFalse();
      goOn.countDown();
      while (pair.status().toCompletableFuture().join().mode() != Mode.BACKUP) {
        LockSupport.parkNanos(5_000_000);
      }
    }
  }
}
