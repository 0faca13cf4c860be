package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** I9, counted by the server: what it is sent for each operation. */
@Isolated("ten thousand waiters leave the other tests of the process no time")
class RedisCostTest {

  private static final LockOptions LONG_LEASE =
      LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));

  /** A machine may be short of everything for minutes; what hangs is ended by JUnit. */
  private static final Duration PATIENCE = Duration.ofMinutes(20);

  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** What clients sent: scripts by digest and by text; not what the scripts call. */
  private long scripts() {
    return server.count("evalsha") + server.count("eval");
  }

  private static final Duration PATIENCE_OF_A_COMMAND = Duration.ofMinutes(1);

  private Pawl connectPatiently() {
    return connectPatiently(server.url() + "?timeout=60s");
  }

  /** A node whose calls bear a store that stands still for longer than the usual three seconds. */
  static Pawl connectPatiently(String url) {
    return Pawl.builder(url).responseTimeout(PATIENCE_OF_A_COMMAND).build();
  }

  /** A node whose scripts are counted. */
  private record CountedNode(CountingPort port, RedisStore store, Pawl pawl)
      implements AutoCloseable {

    static CountedNode at(RedisServer server) {
      CountingPort port =
          new CountingPort(LettucePorts.open(RedisUrl.parse(server.url()), PATIENCE_OF_A_COMMAND));
      RedisStore store = new RedisStore(port, RedisOptions.DEFAULT);
      Pawl pawl = Pawl.builder(store).responseTimeout(PATIENCE_OF_A_COMMAND).build();
      port.reset(); // What a node asks when it is made is not what its calls cost.
      return new CountedNode(port, store, pawl);
    }

    @Override
    public void close() {
      pawl.close();
      store.close();
    }
  }

  @Test
  void anAcquireIsOneCommandAndAReleaseIsOne() throws Exception {
    try (CountedNode node = CountedNode.at(server)) {
      Lease lease = node.pawl.lock("a", LONG_LEASE).acquire();
      assertThat(node.port.count("acquire.lua")).isEqualTo(1);
      assertThat(node.port.countBut("acquire.lua")).isZero();
      lease.close();
      assertThat(node.port.count("release.lua")).isEqualTo(1);
      assertThat(node.port.countBut("release.lua")).isEqualTo(1);
    }
  }

  @Test
  void queueingIsOneCommandAndAHandOverIsTheReleaseAndAMessage() throws Exception {
    // A waiter that is silent for two seconds loses its place, and queues anew.
    Measurement.whereNothingStalls(this::handOver);
  }

  private void handOver() throws Exception {
    try (CountedNode a = CountedNode.at(server);
        CountedNode b = CountedNode.at(server)) {
      Lease held = a.pawl.lock("a", LONG_LEASE).acquire();
      server.resetStatistics();
      CompletableFuture<Lease> waiting =
          b.pawl.lock("a", LONG_LEASE).acquireAsync(Duration.ofMinutes(1));
      until(() -> a.pawl.inspector().find("a").orElseThrow().waiters().size() == 1);
      held.close();
      Lease next = waiting.get(1, TimeUnit.MINUTES);
      assertThat(b.port.count("acquire.lua")).as("to queue, and none to be granted").isEqualTo(1);
      assertThat(a.port.count("release.lua")).isEqualTo(1);
      assertThat(server.count("publish")).isEqualTo(1);
      giveBack(next);
    }
  }

  @Test
  void sixteenWaitersInSixteenNodesAreServedWithTwentyAcquires() throws Exception {
    Measurement.whereNothingStalls(this::serveSixteenWaiters);
  }

  private void serveSixteenWaiters() throws Exception {
    List<CountedNode> nodes = new ArrayList<>();
    try (Pawl holder = connectPatiently()) {
      for (int i = 0; i < 16; i++) {
        nodes.add(CountedNode.at(server));
      }
      Lease held = holder.lock("a", LONG_LEASE).acquire();
      List<CompletableFuture<Void>> done = new ArrayList<>();
      for (CountedNode node : nodes) {
        done.add(node.pawl.lock("a").acquireAsync(PATIENCE).thenAccept(RedisCostTest::giveBack));
      }
      until(() -> holder.inspector().find("a").orElseThrow().waiters().size() == 16);
      server.resetStatistics();
      held.close();
      CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);

      assertThat(nodes.stream().mapToLong(node -> node.port.count("acquire.lua")).sum())
          .isLessThanOrEqualTo(20);
      assertThat(scripts())
          .as("to drain them: a release each, and a poll or two")
          .isBetween(17L, 40L);
      assertThat(server.count("publish")).isEqualTo(16);
    } finally {
      nodes.forEach(CountedNode::close);
    }
    assertThat(RedisConformance.leftovers(server, "")).isZero();
  }

  @Test
  void aHeldLockCostsOneRenewalAPeriodHoweverOftenOthersWereTaken() throws Exception {
    Measurement.whereNothingStalls(this::renewOneOfFiveThousand);
  }

  private void renewOneOfFiveThousand() throws Exception {
    try (Pawl pawl = connectPatiently()) {
      DistributedLock lock =
          pawl.lock("busy", LockOptions.DEFAULT.withLease(Duration.ofSeconds(9)));
      for (int i = 0; i < 5_000; i++) {
        lock.acquire().close();
      }
      try (Lease lease = lock.acquire()) {
        long start = System.nanoTime();
        server.resetStatistics();
        until(() -> scripts() >= 1);
        sleep(1_000);
        long renewals = scripts();
        double periods = (System.nanoTime() - start) / 1e9 / 3;
        assertThat(lease.isHeld()).isTrue();
        assertThat(renewals)
            .as("in %.1f thirds of a lease, of which one may be sent again", periods)
            .isLessThanOrEqualTo((long) periods + 2);
      }
    }
  }

  @Test
  void tenThousandContendedLocksAreServedWithoutATimeOut() throws Exception {
    // Two nodes and their server on however little there is: how long it takes is not the question.
    try (Pawl a = connectPatiently();
        Pawl b = connectPatiently()) {
      List<CompletableFuture<Lease>> first = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        first.add(a.lock("c-" + i, LONG_LEASE).acquireAsync(PATIENCE));
        letThemBeAnswered(a, i);
      }
      CompletableFuture.allOf(first.toArray(CompletableFuture[]::new)).join();
      List<CompletableFuture<Void>> second = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        second.add(
            b.lock("c-" + i, LONG_LEASE)
                .acquireAsync(PATIENCE)
                .thenAccept(RedisCostTest::giveBack));
        letThemBeAnswered(b, i);
      }
      closeAll(first);
      CompletableFuture.allOf(second.toArray(CompletableFuture[]::new))
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    until(() -> RedisConformance.leftovers(server, "") == 0);
  }

  /** Side by side: one after the other, each would stand behind the polls of all who wait. */
  private static void closeAll(List<CompletableFuture<Lease>> leases) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(32);
    try {
      CompletableFuture.allOf(
              leases.stream()
                  .map(lease -> lease.thenAcceptAsync(Lease::close, threads))
                  .toArray(CompletableFuture[]::new))
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Whoever was served, and then stood still for longer than a grant may be unconfirmed, has lost
   * it.
   */
  static void giveBack(Lease lease) {
    try {
      lease.close();
    } catch (LeaseLostException e) {
      assertThat(lease.isHeld()).isFalse();
    }
  }

  @Test
  void anIdleWaiterAsksLessThanOnceASecond() throws Exception {
    Measurement.whereNothingStalls(this::waitIdly);
  }

  private void waitIdly() throws Exception {
    try (Pawl a = connectPatiently();
        Pawl b = connectPatiently()) {
      Lease held = a.lock("a", LONG_LEASE).acquire();
      CompletableFuture<Lease> waiting = b.lock("a").acquireAsync(PATIENCE);
      until(() -> a.inspector().find("a").orElseThrow().waiters().size() == 1);
      long start = System.nanoTime();
      server.resetStatistics();
      sleep(5_000);
      long polls = scripts();
      // One that is not answered in time is sent again.
      assertThat(polls).isLessThanOrEqualTo((System.nanoTime() - start) / 1_000_000_000 + 1);
      held.close();
      giveBack(waiting.join());
    }
  }

  /**
   * Now and then asks something on the same connection and waits for it, so that what was sent
   * before is answered within the second after which it would be sent again, and counted twice.
   */
  static void letThemBeAnswered(Pawl pawl, int sent) {
    if (sent % 200 == 199) {
      assertThat(pawl.inspector().find("no such name")).isEmpty();
    }
  }

  interface Condition {
    boolean isSo();
  }

  static void until(Condition condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (!condition.isSo()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  static void sleep(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
