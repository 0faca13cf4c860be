package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.RespClient;
import dev.pawl.testservers.SentinelGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that stall, die and forget, and nodes that are killed. */
class RedisFaultTest {

  private static final LockOptions SHORT = LockOptions.DEFAULT.withLease(Duration.ofSeconds(6));

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void oneStalledMasterOfThreeCostsTheOthersNothing(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = RedisStore.open(cluster.url() + "?timeout=500ms&client=" + client)) {
      // A machine that stands still for most of a lease costs the others theirs.
      Measurement.whereNothingStalls(() -> stallOne(cluster, store));
    }
  }

  private static void stallOne(RedisCluster cluster, RedisStore store) throws Exception {
    RedisServer stalled = cluster.servers().get(2);
    try (Pawl pawl =
        Pawl.builder(store).defaults(SHORT).responseTimeout(Duration.ofSeconds(20)).build()) {
      List<Lease> leases = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        leases.add(pawl.lock("lock-" + i).acquire());
      }
      List<Lease> stuck = leases.stream().filter(each -> has(stalled, each, cluster)).toList();
      List<Lease> others = leases.stream().filter(each -> !stuck.contains(each)).toList();
      assertThat(stuck).isNotEmpty();
      assertThat(others).hasSizeGreaterThan(20);
      stalled.pause();
      try {
        until(() -> stuck.stream().noneMatch(Lease::isHeld));

        assertThat(others).allMatch(Lease::isHeld);
        RedisCostTest.giveBack(others.get(0));
        Lease more = pawl.lock(others.get(0).name()).acquire();
        assertThat(more.isHeld()).isTrue();
      } finally {
        stalled.resume();
      }
    }
  }

  private static boolean has(RedisServer server, Lease lease, RedisCluster cluster) {
    return cluster.masterOf(ListeningCluster.slot(lease.name())) == server;
  }

  @Test
  void oneStalledReplicaOfTwoCostsNoTimeWhenOneIsWaitedFor() throws Exception {
    List<RedisServer> servers = SentinelGroup.startReplicated(2);
    RedisOptions options =
        RedisOptions.DEFAULT
            .waitForReplicas(1, Duration.ofSeconds(5))
            .withCommandTimeout(Duration.ofSeconds(20));
    try (RedisStore store = RedisStore.open(servers.get(0).url(), options);
        Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build()) {
      Measurement.whereNothingStalls(
          () -> {
            servers.get(2).resume();
            long before = median(pawl);
            servers.get(2).pause();
            long after = median(pawl);
            // Whoever waited for it would wait for five seconds, or for the second of a replica's
            // report.
            assertThat(after - before).as("added by the stalled replica, µs").isLessThan(500_000);
          });

      // With both stalled, nobody confirms, and nobody is told that he has the lock.
      servers.get(1).pause();
      RedisOptions hurried = options.waitForReplicas(1, Duration.ofMillis(100));
      try (RedisStore impatient = RedisStore.open(servers.get(0).url(), hurried);
          Pawl alone = Pawl.builder(impatient).responseTimeout(Duration.ofMillis(500)).build()) {
        assertThat(failureOf(() -> alone.lock("unconfirmed").acquire().close()))
            .isInstanceOf(dev.pawl.OutcomeUnknownException.class);
      }
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  private static long median(Pawl pawl) throws InterruptedException {
    long[] micros = new long[41];
    for (int i = 0; i < micros.length; i++) {
      long start = System.nanoTime();
      Lease lease = pawl.lock("replicated").acquire();
      micros[i] = (System.nanoTime() - start) / 1_000;
      lease.close();
    }
    Arrays.sort(micros);
    return micros[micros.length / 2];
  }

  @Test
  void aKilledWaiterDelaysTheNextByTheClaimWindow() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      Measurement.whereNothingStalls(() -> killAWaiter(server.url()));
    }
  }

  private static void killAWaiter(String url) throws Exception {
    try (Pawl holder = RedisCostTest.connectPatiently(url);
        Pawl next = RedisCostTest.connectPatiently(url)) {
      Lease held = holder.lock("a").acquire();
      Process waiter = waiterProcess(url);
      try {
        until(() -> waiters(holder) == 1);
        CompletableFuture<Lease> behind = next.lock("a").acquireAsync(Duration.ofMinutes(1));
        until(() -> waiters(holder) == 2);
        waiter.destroyForcibly().waitFor();

        long start = System.nanoTime();
        held.close();
        RedisCostTest.giveBack(behind.get(1, TimeUnit.MINUTES));
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .isLessThan(Duration.ofMillis(2_500));
      } finally {
        waiter.destroyForcibly();
      }
    }
  }

  private static int waiters(Pawl pawl) {
    return pawl.inspector().find("a").orElseThrow().waiters().size();
  }

  private static Process waiterProcess(String url) throws Exception {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-cp",
            System.getProperty("java.class.path"),
            WaitingProcess.class.getName(),
            url)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** What is run in a process of its own: waits for the lock until it is killed. */
  static final class WaitingProcess {
    public static void main(String[] args) throws Exception {
      try (Pawl pawl = Pawl.builder(args[0]).responseTimeout(Duration.ofMinutes(1)).build()) {
        pawl.lock("a").acquire().close();
      }
    }
  }

  @Test
  void tokensNeverGoBackThroughTwentyFiveRestartsWithoutData() throws Exception {
    try (RedisServer server = RedisServer.start();
        Pawl pawl =
            Pawl.builder(server.url() + "?timeout=300ms")
                .responseTimeout(Duration.ofSeconds(5))
                .build()) {
      Map<String, Long> highest = new HashMap<>();
      int granted = 0;
      for (int restart = 0; restart < 25; restart++) {
        for (int i = 0; i < 40; i++) {
          String name = "n" + i % 5;
          try (Lease lease = pawl.lock(name).acquire(Duration.ofSeconds(10))) {
            assertThat(lease.token()).isGreaterThan(highest.getOrDefault(name, 0L));
            highest.put(name, lease.token());
            granted++;
          } catch (PawlException e) {
            // Of the restart: lost with its server, or not answered.
          }
        }
        server.kill();
        server.startAgain();
      }
      assertThat(granted).isGreaterThan(800);
    }
  }

  @Test
  void waitersAndTokensSurviveAFailoverOfSentinel() throws Exception {
    try (SentinelGroup group = SentinelGroup.start(1);
        Pawl pawl =
            Pawl.builder(group.url())
                .defaults(SHORT)
                .responseTimeout(Duration.ofSeconds(20))
                .build();
        Pawl other =
            Pawl.builder(group.url())
                .defaults(SHORT)
                .responseTimeout(Duration.ofSeconds(20))
                .build()) {
      Lease held = pawl.lock("a").acquire();
      long before = held.token();
      CompletableFuture<Lease> waiting = other.lock("a").acquireAsync(Duration.ofMinutes(2));
      RedisServer first = group.master();
      awaitReplica(first);
      first.kill();
      long killed = System.nanoTime();
      // Only now: a master that is slow is left alone.
      group
          .sentinels()
          .forEach(each -> each.call("SENTINEL", "SET", "pawl", "down-after-milliseconds", "2000"));

      until(() -> waiting.isDone() || isRenewedSince(killed, held));
      if (!waiting.isDone()) { // It was sooner at the new master than its lease ended.
        assertThatTheStoreHas(held, other);
        RedisCostTest.giveBack(held);
      }
      Lease next = waiting.get(2, TimeUnit.MINUTES);
      assertThat(held.isHeld()).as("I2: the first was lost before, or given back").isFalse();
      assertThat(next.token()).isGreaterThan(before);
      until(() -> group.master().port() != first.port());
      RedisCostTest.giveBack(next);
    }
  }

  /** I2: whoever believes that he holds it is the holder, as another node is told. */
  private static void assertThatTheStoreHas(Lease lease, Pawl other) {
    List<LockInfo.Holder> holders = other.inspector().find(lease.name()).orElseThrow().holders();
    if (lease.isHeld()) {
      assertThat(holders).extracting(LockInfo.Holder::token).containsExactly(lease.token());
    }
  }

  /** Tells whether a lease lasts for longer than one that was renewed before that moment. */
  private static boolean isRenewedSince(long nanos, Lease lease) {
    long now = System.nanoTime();
    long left = lease.remaining().toNanos();
    return left > 0 && now + left - nanos > SHORT.lease().toNanos();
  }

  /**
   * Waits until a replica has what was written up to now: what it has not, is lost with the master.
   */
  private static void awaitReplica(RedisServer master) {
    try (RespClient client = new RespClient(master.port())) {
      client.call("SET", "the last", "write");
      assertThat(client.call("WAIT", "1", "30000")).isEqualTo(1L);
    }
  }

  @Test
  void waitingCallsSurviveAReconnect() throws Exception {
    try (RedisServer server = RedisServer.start();
        Pawl a = RedisCostTest.connectPatiently(server.url());
        Pawl b = RedisCostTest.connectPatiently(server.url())) {
      Lease held = a.lock("a").acquire();
      CompletableFuture<Lease> waiting = b.lock("a").acquireAsync(Duration.ofMinutes(1));
      until(() -> waiters(a) == 1);
      List<String> broken = clientIds(server);
      server.call("CLIENT", "KILL", "TYPE", "normal");
      server.call("CLIENT", "KILL", "TYPE", "pubsub");
      until(() -> clientIds(server).size() == broken.size());
      assertThat(clientIds(server)).doesNotContainAnyElementsOf(broken);
      assertThat(held.isHeld()).isTrue();
      held.close();
      RedisCostTest.giveBack(waiting.get(1, TimeUnit.MINUTES));
    }
  }

  /** Returns who is connected, without the one that asks. */
  private static List<String> clientIds(RedisServer server) {
    try (RespClient client = new RespClient(server.port())) {
      String own = "id=" + client.call("CLIENT", "ID");
      return String.valueOf(client.call("CLIENT", "LIST"))
          .lines()
          .map(line -> line.substring(0, line.indexOf(' ')))
          .filter(id -> !id.equals(own))
          .toList();
    }
  }

  @Test
  void tokensRiseAfterFlushAll() throws Exception {
    try (RedisServer server = RedisServer.start();
        Pawl pawl = RedisCostTest.connectPatiently(server.url())) {
      long last = 0;
      for (int i = 0; i < 20; i++) {
        Lease lease = pawl.lock("a").acquire();
        assertThat(lease.token()).isGreaterThan(last);
        last = lease.token();
        lease.close();
        server.call("FLUSHALL");
      }
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  private static Throwable failureOf(Call call) {
    try {
      call.run();
    } catch (Exception e) {
      return e;
    }
    throw new AssertionError("it did not fail");
  }

  private interface Condition {
    boolean isSo();
  }

  private static void until(Condition condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!condition.isSo()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
