package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redlock over five servers of which some are down. */
class RedlockFaultTest {

  private static final Duration LEASE = Duration.ofSeconds(15);

  private List<RedisServer> servers;

  @BeforeEach
  void start() {
    servers = Stream.generate(RedisServer::start).limit(5).toList();
  }

  @AfterEach
  void stop() {
    servers.forEach(RedisServer::close);
  }

  /** For commands that nobody sends again: a server that is only slow has its vote. */
  private String patientUrl() {
    return RedlockConformanceTest.url(servers) + "?serverTimeout=10s";
  }

  private Pawl connect() {
    return connect(Duration.ofMinutes(1));
  }

  private Pawl connect(Duration responseTimeout) {
    return Pawl.builder(RedlockConformanceTest.url(servers) + "?serverTimeout=2s")
        .defaults(LockOptions.DEFAULT.withFair(false).withLease(LEASE))
        .responseTimeout(responseTimeout)
        .build();
  }

  @Test
  void whoWasRefusedAndWouldWaitIsToldWhenTheNameIsFree() throws Exception {
    // The copies of a message count together if they come within a fifth of a second.
    Measurement.whereNothingStalls(this::tellWhoWasRefused);
  }

  private void tellWhoWasRefused() throws Exception {
    String url = patientUrl();
    try (LockStore holder = RedlockStore.open(url);
        LockStore waiter = RedlockStore.open(url)) {
      CountDownLatch told = new CountDownLatch(1);
      waiter.subscribe(
          "waiter",
          signal -> {
            if (signal.equals(new Signal.Changed("n"))) {
              told.countDown();
            }
          });
      AcquireReply first = answer(holder.acquire(acquire("holder")));
      assertThat(first).isInstanceOf(AcquireReply.Granted.class);
      assertThat(answer(waiter.acquire(acquire("waiter")))).isInstanceOf(AcquireReply.Busy.class);

      Grant grant = ((AcquireReply.Granted) first).grant();
      answer(
          holder.release(
              new Command.Release("n", grant.claim(), grant.token(), OptionalLong.empty(), false)));

      assertThat(told.await(20, TimeUnit.SECONDS)).as("told without asking again").isTrue();
    }
  }

  @Test
  void itIsToldOfOneReleaseAfterTheOther() throws Exception {
    Measurement.whereNothingStalls(this::tellTenTimes);
  }

  private void tellTenTimes() throws Exception {
    String url = patientUrl();
    Semaphore told = new Semaphore(0);
    try (LockStore holder = RedlockStore.open(url);
        LockStore waiter = RedlockStore.open(url)) {
      waiter.subscribe("waiter", signal -> told.release());
      for (int round = 1; round <= 10; round++) {
        Command.Acquire waiting = acquire("waiter", round);
        AcquireReply first = answer(holder.acquire(acquire("holder", round)));
        assertThat(first).isInstanceOf(AcquireReply.Granted.class);
        assertThat(answer(waiter.acquire(waiting))).isInstanceOf(AcquireReply.Busy.class);

        Grant grant = ((AcquireReply.Granted) first).grant();
        answer(
            holder.release(
                new Command.Release(
                    "n", grant.claim(), grant.token(), OptionalLong.empty(), false)));

        assertThat(told.tryAcquire(20, TimeUnit.SECONDS)).as("told, round %d", round).isTrue();
        answer(waiter.cancel(new Command.Cancel("n", waiting.claim(), false)));
      }
    }
  }

  @Test
  void serversThatTakeLongToAnswerHaveTheirVotes() throws Exception {
    try (LockStore store = RedlockStore.open(patientUrl())) {
      servers.forEach(server -> server.call("CLIENT", "PAUSE", "3000"));

      assertThat(answer(store.acquire(acquire("patient"))))
          .isInstanceOf(AcquireReply.Granted.class);
    }
  }

  private static Command.Acquire acquire(String node) {
    return acquire(node, 1);
  }

  private static Command.Acquire acquire(String node, long counter) {
    return new Command.Acquire(
        "n",
        new ClaimId(node, counter),
        Command.EVERYTHING,
        Command.EVERYTHING,
        30_000_000,
        1,
        OptionalLong.empty(),
        true,
        false,
        node,
        "");
  }

  private static <T> T answer(CompletionStage<T> stage) {
    CompletableFuture<T> answer = stage.toCompletableFuture();
    assertThat(answer).succeedsWithin(Duration.ofSeconds(20));
    return answer.join();
  }

  @Test
  void withTwoOfFiveDownEverythingGoesOnAndWithThreeNothingIsBusy() throws Exception {
    try (Pawl a = connect();
        Pawl b = connect();
        Pawl hurried = connect(Duration.ofSeconds(4))) {
      Lease held = a.lock("kept").acquire();
      servers.get(0).kill();
      servers.get(1).pause();
      long left = held.remaining().toNanos();
      long firstEnd = System.nanoTime() + left;
      for (int i = 0; i < 20; i++) {
        a.lock("n").acquire().close();
      }
      assertThat(b.lock("kept").tryAcquire()).isEmpty();
      while (System.nanoTime() + held.remaining().toNanos() - firstEnd < 1_000_000_000) {
        pause(Duration.ofMillis(5));
      }
      assertThat(held.isHeld()).as("renewed by three of five").isTrue();
      CompletableFuture<Lease> waiting = b.lock("kept").acquireAsync(Duration.ofMinutes(1));
      held.close();
      waiting.get(1, TimeUnit.MINUTES).close();
      try (Pawl late = connect()) {
        late.lock("opened with two down").acquire().close();
      }

      servers.get(2).kill();
      assertThatThrownBy(() -> hurried.lock("n").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      assertThatThrownBy(this::connect).isInstanceOf(StoreUnavailableException.class);

      servers.get(0).startAgain();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      Optional<Lease> again = Optional.empty();
      while (again.isEmpty() && System.nanoTime() < end) {
        try {
          again = b.lock("n").tryAcquire();
        } catch (PawlException e) {
          pause(Duration.ofMillis(100));
        }
      }
      assertThat(again).as("three of five again").isPresent();
    }
  }

  @Test
  void semaphoresAreRefusedWithTheReason() {
    try (Pawl pawl = connect()) {
      assertThatThrownBy(() -> pawl.semaphore("s", 3).tryAcquire(1))
          .isInstanceOf(UnsupportedByStoreException.class)
          .hasMessageContaining("semaphore");
    }
  }

  @Test
  void aServerThatHasJustStartedDoesNotVoteIfItIsToldSo() throws Exception {
    String url = RedlockConformanceTest.url(servers) + "?restartDelay=3600s";
    try (Pawl pawl =
        Pawl.builder(url)
            .defaults(LockOptions.DEFAULT.withFair(false))
            .responseTimeout(Duration.ofSeconds(1))
            .build()) {
      assertThatThrownBy(() -> pawl.lock("n").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
    }
  }

  @Test
  void readersShareByQuorum() throws Exception {
    try (Pawl a = connect();
        Pawl b = connect()) {
      Lease one = a.readWriteLock("rw").readLock().acquire();
      Lease two = b.readWriteLock("rw").readLock().acquire();
      assertThat(a.readWriteLock("rw").writeLock().tryAcquire()).isEmpty();
      one.close();
      two.close();
      a.readWriteLock("rw").writeLock().acquire().close();
    }
  }

  private static void pause(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
