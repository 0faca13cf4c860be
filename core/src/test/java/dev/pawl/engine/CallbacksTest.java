package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DistributedLock;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockEvent;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** User code that fails, and an executor that does not take it. */
class CallbacksTest {

  private static final Duration WAIT = Duration.ofSeconds(10);

  private final MemoryStore store = new MemoryStore();

  @Test
  void aListenerThatThrowsAnErrorSilencesNobody() throws Exception {
    BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();
    try (Pawl pawl = Pawl.builder(store).build()) {
      pawl.listen(
          event -> {
            throw new AssertionError("not my day");
          });
      pawl.listen(events::add);
      pawl.lock("x").acquire().close();
      assertThat(events.poll(10, TimeUnit.SECONDS)).isInstanceOf(LockEvent.Acquired.class);
      assertThat(events.poll(10, TimeUnit.SECONDS)).isInstanceOf(LockEvent.Released.class);
    }
  }

  @Test
  void aBodyInheritsNothingOfTheThreadThatCausedItsOwn() throws Exception {
    InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
    user.set("alice");
    try (Pawl pawl = Pawl.builder(store).build()) {
      Job.Outcome<String> outcome =
          pawl.job("sms")
              .runOrStandBy(
                  Instant.EPOCH,
                  run -> {
                    return "as " + user.get();
                  })
              .get(60, TimeUnit.SECONDS);

      assertThat(outcome)
          .isInstanceOfSatisfying(
              Job.Outcome.Ran.class, ran -> assertThat(ran.result()).isEqualTo("as null"));
    } finally {
      user.remove();
    }
  }

  @Test
  void aGrantThatWaitsForItsExecutorIsGivenBackWhenItsCallIsCancelled() {
    List<Runnable> busy = new ArrayList<>();
    try (Pawl pawl = Pawl.builder(store).callbackExecutor(busy::add).build()) {
      CompletableFuture<Lease> cancelled = pawl.lock("x").acquireAsync(WAIT);
      assertThat(pawl.lock("x").tryAcquire()).as("it is granted").isEmpty();

      cancelled.cancel(false);

      Lease next = pawl.lock("x").tryAcquire().orElseThrow();
      List.copyOf(busy).forEach(Runnable::run);
      next.ensureHeld();
    }
  }

  @Test
  void anAsynchronousCallEndsThoughItsExecutorTakesNothing() throws Exception {
    try (Pawl pawl = Pawl.builder(store).callbackExecutor(CallbacksTest::reject).build()) {
      DistributedLock lock = pawl.lock("x");
      CompletableFuture<Lease> granted = lock.acquireAsync(WAIT);
      Lease lease = granted.get(10, TimeUnit.SECONDS);
      lease.ensureHeld();
      CompletableFuture<Lease> waiting = lock.acquireAsync(WAIT);
      waiting.cancel(false);
      lease.close();
      lock.acquire(WAIT).close();
    }
  }

  private static void reject(Runnable task) {
    throw new RejectedExecutionException("full");
  }

  @Test
  void anAsynchronousCallOnAClosedNodeFailsAndDoesNotHang() {
    Pawl pawl = Pawl.builder(store).build();
    DistributedLock lock = pawl.lock("x");
    pawl.close();
    assertThatThrownBy(() -> lock.acquireAsync(WAIT).get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aListenerHearsOfACallThatTheStoreFailed() throws Exception {
    BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();
    try (Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofMillis(100)).build()) {
      pawl.listen(events::add);
      store.close();
      assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(events.poll(10, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(
              LockEvent.StoreFailed.class,
              failed -> {
                assertThat(failed.name()).isEqualTo("x");
                assertThat(failed.operation()).isEqualTo("acquire");
                assertThat(failed.cause()).isInstanceOf(StoreUnavailableException.class);
              });
    }
  }

  @Test
  void aLeaderThatThrowsAnErrorStepsDown() throws Exception {
    try (Pawl pawl = Pawl.builder(store).build();
        Pawl other = Pawl.builder(store).build();
        var broken =
            pawl.election("office")
                .lead(
                    term -> {
                      throw new AssertionError("not my day");
                    })) {
      BlockingQueue<Long> terms = new LinkedBlockingQueue<>();
      try (var sound = other.election("office").lead(term -> terms.add(term.token()))) {
        assertThat(terms.poll(10, TimeUnit.SECONDS)).as("%s, %s", broken, sound).isNotNull();
      }
    }
  }

  @Test
  void anElectionTellsListenersThatTheStoreFailed() throws Exception {
    BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();
    try (Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofMillis(100)).build()) {
      pawl.listen(events::add);
      store.close();
      try (var campaign = pawl.election("office").lead(term -> {})) {
        assertThat(events.poll(10, TimeUnit.SECONDS))
            .as("%s", campaign)
            .isInstanceOfSatisfying(
                LockEvent.StoreFailed.class,
                failed -> assertThat(failed.name()).isEqualTo("election:office"));
      }
    }
  }

  @Test
  void aLossAndATimeOutAreToldThoughOtherCallbacksDoNotReturn() throws Exception {
    int works = 8;
    CountDownLatch in = new CountDownLatch(works);
    CountDownLatch told = new CountDownLatch(works);
    CountDownLatch end = new CountDownLatch(1);
    try (Pawl pawl = Pawl.builder(store).build()) {
      List<Lease> leases = new CopyOnWriteArrayList<>();
      for (int i = 0; i < works; i++) {
        Lease first = pawl.lock("x" + i).acquire(); // So that the result comes later.
        var unused =
            pawl.lock("x" + i)
                .acquireAsync(WAIT)
                .thenAccept(
                    lease -> {
                      lease.onLost(told::countDown);
                      leases.add(lease);
                      in.countDown();
                      await(end);
                    });
        first.close();
      }
      assertThat(in.await(10, TimeUnit.SECONDS)).as("all are at work").isTrue();
      assertThatThrownBy(
              () ->
                  pawl.lock("x0")
                      .acquireAsync(Duration.ofMillis(10))
                      .handle((lease, error) -> error)
                      .thenCompose(CompletableFuture::failedFuture)
                      .get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LockTimeoutException.class);
      for (Lease lease : leases) {
        pawl.inspector().forceRelease(lease.name(), lease.token(), "me", "test");
      }
      assertThat(told.await(10, TimeUnit.SECONDS)).as("all are told of their loss").isTrue();
      end.countDown();
    }
  }

  @Test
  void aListenerThatIsStuckHoldsUpNoOther() throws Exception {
    BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();
    CountDownLatch end = new CountDownLatch(1);
    try (Pawl pawl = Pawl.builder(store).build()) {
      pawl.listen(event -> await(end));
      pawl.listen(events::add);
      pawl.lock("x").acquire().close();
      assertThat(events.poll(10, TimeUnit.SECONDS)).isInstanceOf(LockEvent.Acquired.class);
      assertThat(events.poll(10, TimeUnit.SECONDS)).isInstanceOf(LockEvent.Released.class);
      end.countDown();
    }
  }

  @Test
  void anExecutorThatTakesNothingSilencesNoLoss() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    try (Pawl pawl = Pawl.builder(store).callbackExecutor(CallbacksTest::reject).build()) {
      Lease lease = pawl.lock("x").acquire();
      lease.onLost(told::countDown);
      pawl.inspector().forceRelease("x", lease.token(), "me", "test");
      assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
