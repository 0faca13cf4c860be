package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.machine.LockMachine;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a crowd costs the server, and what it leaves there. */
class ZooKeeperCrowdTest {

  private static final Duration LONG = Duration.ofMinutes(3);
  private static final int WAITERS = 64;
  private static ZooKeeperServer server;
  private static Looker looker;

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
    looker = new Looker(server.address());
  }

  @AfterAll
  static void stop() {
    looker.close();
    server.close();
  }

  private static ZooKeeperStore open() {
    return ZooKeeperFaultTest.open(server.address(), 60);
  }

  /** A release wakes the next in line; in the simple strategy it wakes everybody: the herd. */
  @ParameterizedTest
  @CsvSource({"fair, 1", "simple, 64"})
  void howManyOfSixtyFourWhoWaitAreWoken(String strategy, long woken) throws Exception {
    // A waiter that stalls loses its place, and is woken once more or not at all.
    Measurement.whereNothingStalls(() -> wake(strategy, woken));
  }

  private static void wake(String strategy, long woken) throws Exception {
    String name = "herd-" + strategy;
    List<Pawl> nodes = new ArrayList<>();
    try {
      for (int i = 0; i <= WAITERS; i++) {
        nodes.add(
            Pawl.builder("zk://" + server.address() + "?sessionTimeout=60s&strategy=" + strategy)
                .defaults(LockOptions.DEFAULT.withFair(strategy.equals("fair")))
                .responseTimeout(Duration.ofMinutes(1))
                .build());
      }
      Lease lease = nodes.get(0).lock(name).acquire();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 1; i <= WAITERS; i++) {
        int place = i;
        waiting.add(nodes.get(i).lock(name).acquireAsync(LONG));
        eventually("it watches", () -> server.watchers("/pawl/locks/" + name) >= place);
      }
      long before = server.counted("zk_sum_node_deleted_watch_count");

      lease.close();

      CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
      assertThat(server.counted("zk_sum_node_deleted_watch_count") - before)
          .as("watches that one release has fired")
          .isEqualTo(woken);
      for (var each : waiting.stream().map(next -> next.thenAccept(Lease::close)).toList()) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      nodes.forEach(Pawl::close);
    }
  }

  @Test
  void readersBehindAWriterWakeTogether() throws Exception {
    try (ZooKeeperStore store = open();
        Pawl writer = patient(store);
        Pawl one = patient(store);
        Pawl two = patient(store)) {
      Lease lease = writer.readWriteLock("catalog").writeLock().acquire();
      CompletableFuture<Lease> first = one.readWriteLock("catalog").readLock().acquireAsync(LONG);
      CompletableFuture<Lease> second = two.readWriteLock("catalog").readLock().acquireAsync(LONG);
      eventually("both wait", () -> looker.nodesOf("/pawl", "catalog") == 4);

      lease.close();

      Lease a = first.get(60, TimeUnit.SECONDS);
      Lease b = second.get(60, TimeUnit.SECONDS);
      assertThat(a.isHeld() && b.isHeld()).isTrue();
      a.close();
      b.close();
    }
  }

  @Test
  void anAcquireAndAReleaseAreOneRoundTripEach() throws Exception {
    try (ZooKeeperStore store = open();
        Pawl pawl = patient(store)) {
      pawl.lock("trips").acquire().close(); // The name's node, and the session's.
      int pairs = 50;
      // What is not answered within a second is asked again.
      Measurement.whereNothingStalls(
          () -> {
            long before = server.counted("zk_packets_received");
            for (int i = 0; i < pairs; i++) {
              pawl.lock("trips").acquire().close();
            }
            long requests = server.counted("zk_packets_received") - before;

            // A create that says that nobody else is there, and a delete; pings, and this question.
            assertThat(requests).isBetween(2L * pairs, 2L * pairs + 20);
          });
    }
  }

  /**
   * Its node is created with the claim; where others have it already, only the first tries that.
   */
  @Test
  void aNewNameIsOneRequestAndOneThatOthersUseIsOneRoundTrip() throws Exception {
    String url = "zk://" + server.address() + "?sessionTimeout=60s&retention=60s";
    int pairs = 50;
    try (Pawl first = patient(url);
        Pawl second = patient(url)) {
      first.lock("new").acquire().close(); // The session's node.
      second.lock("new").acquire().close();

      // What is not answered within a second is asked again.
      Measurement.whereNothingStalls(
          () -> {
            String name = "new-" + System.nanoTime() + "-";
            long before = server.counted("zk_packets_received");
            for (int i = 0; i < pairs; i++) {
              first.lock(name + i).acquire().close();
            }
            assertThat(server.counted("zk_packets_received") - before)
                .as("a create of both, and a delete; pings, and this question")
                .isBetween(2L * pairs, 2L * pairs + 20);

            before = server.counted("zk_packets_received");
            for (int i = 0; i < pairs; i++) {
              second.lock(name + i).acquire().close();
            }
            // Fewer if the server has just deleted empty nodes, which it does once a minute.
            assertThat(server.counted("zk_packets_received") - before)
                .as("a create of the name's node, which is there, one of the claim's, and a delete")
                .isBetween(2L * pairs, 3L * pairs + 20);
          });
    }
  }

  @Test
  void tenThousandNamesLeaveNothingBehind() throws Exception {
    long before = server.counted("zk_znode_count");
    try (ZooKeeperStore store = open();
        Pawl pawl = patient(store)) {
      List<CompletableFuture<Void>> done = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        done.add(pawl.lock("many-" + i).acquireAsync(LONG).thenAccept(Lease::close));
        if (done.size() == 500) {
          CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
          done.clear();
        }
      }
      eventually("nothing is left", () -> looker.nodesOf("/pawl", "many-") == 0);
    }
    eventually("nowhere", () -> server.counted("zk_znode_count") <= before);
  }

  /** It shows life rarely, and does not know that it need no longer. */
  @Test
  void aWaiterThatHasComeNearKeepsItsPlace() {
    try (ZooKeeperStore store = open()) {
      // Those in front are believed alive for two seconds: a machine that stalls begins again.
      int line = 1;
      while (!isLastFar(store, line)) {
        line++;
      }
      String near = "near " + line;
      for (int i = 1; i <= LockMachine.FAR_AHEAD; i++) {
        store
            .cancel(new Command.Cancel(near, new ClaimId("waiter-" + i, line), false))
            .toCompletableFuture()
            .join();
      }

      // The life of one who is near and silent stands for the time in which it would go.
      var unused = ask(store, "clock", new ClaimId("first", 1));
      unused = ask(store, "clock", new ClaimId("silent", 1));
      eventually("who is silent is gone", () -> looker.nodesOf("/pawl", "clock") == 2);

      assertThat(looker.nodesOf("/pawl", near)).as("the name, holder and last").isEqualTo(3);
    }
  }

  /** Has one wait behind a holder and many others; tells whether the store has it far back. */
  private static boolean isLastFar(ZooKeeperStore store, int line) {
    String name = "near " + line;
    var unused = ask(store, name, new ClaimId("holder", line));
    for (int i = 1; i <= LockMachine.FAR_AHEAD; i++) {
      unused = ask(store, name, new ClaimId("waiter-" + i, line));
    }
    return ask(store, name, new ClaimId("last", line)) instanceof AcquireReply.Queued queued
        && queued.contention().ahead() >= LockMachine.FAR_AHEAD;
  }

  private static AcquireReply ask(ZooKeeperStore store, String name, ClaimId id) {
    Command.Acquire claim =
        new Command.Acquire(
            name,
            id,
            Command.EVERYTHING,
            Command.EVERYTHING,
            LONG.toNanos() / 1_000,
            1,
            OptionalLong.empty(),
            true,
            true,
            id.node(),
            "main");
    return store.acquire(claim).toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** What a node has of a name costs the servers once, not once a caller. */
  @Test
  void aThousandCallersInTwoNodesAreServedByASemaphoreOfFour() throws Exception {
    try (ZooKeeperStore store = open();
        ZooKeeperStore second = open();
        Pawl a = patient(store);
        Pawl b = patient(second)) {
      AtomicInteger held = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      long before = server.counted("zk_packets_received");
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        callers.add(
            (i % 2 == 0 ? a : b)
                .semaphore("gpu", 4)
                .acquireAsync(1, LONG)
                .thenAcceptAsync(
                    lease -> {
                      most.accumulateAndGet(held.incrementAndGet(), Math::max);
                      held.decrementAndGet();
                      lease.close();
                    }));
      }
      for (CompletableFuture<Void> caller : callers) {
        caller.get(2, TimeUnit.MINUTES);
      }
      assertThat(most.get()).isBetween(1, 4);
      assertThat(server.counted("zk_packets_received") - before)
          .as("requests for a thousand: less than 25 each, however often the nodes take turns")
          .isLessThan(25_000);
    }
  }

  @Test
  void aThousandReadLeasesOfOneNodeCostThreeRequestsEach() throws Exception {
    // What is not answered within a second is asked again.
    Measurement.whereNothingStalls(ZooKeeperCrowdTest::readAThousandTimes);
  }

  private static void readAThousandTimes() throws Exception {
    try (ZooKeeperStore store = open();
        Pawl pawl = patient(store)) {
      long before = server.counted("zk_packets_received");
      List<CompletableFuture<Lease>> leases = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        leases.add(pawl.readWriteLock("read").readLock().acquireAsync(LONG));
      }
      for (CompletableFuture<Lease> lease : leases) {
        assertThat(lease.get(2, TimeUnit.MINUTES).isHeld()).isTrue();
      }
      assertThat(looker.nodesOf("/pawl", "read")).isEqualTo(1_001);
      leases.forEach(lease -> lease.join().close());
      assertThat(server.counted("zk_packets_received") - before)
          .as(
              "create, list where others are, and delete; and renewals, of up to 250 leases with two requests")
          .isLessThan(4_000);
      eventually("nothing is left", () -> looker.nodesOf("/pawl", "read") == 0);
    }
  }

  /** A list of the line is as long as the line; a hand-over asks for none. */
  @Test
  void twoHundredNodesWaitInLineAndAreServedInTheirOrder() throws Exception {
    // A waiter that stalls loses its place, and has another further back.
    Measurement.whereNothingStalls(ZooKeeperCrowdTest::serveTwoHundred);
  }

  private static void serveTwoHundred() throws Exception {
    int waiters = 200;
    List<Pawl> nodes = new ArrayList<>();
    ZooKeeperStore store = open();
    try {
      for (int i = 0; i <= waiters; i++) {
        nodes.add(patient(store));
      }
      Lease lease = nodes.get(0).lock("crowd").acquire();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 1; i <= waiters; i++) {
        int place = i;
        waiting.add(nodes.get(i).lock("crowd").acquireAsync(LONG.multipliedBy(2)));
        eventually("it waits", () -> looker.nodesOf("/pawl", "crowd") == place + 2);
      }
      long before = server.counted("zk_packets_received");
      long start = System.nanoTime();
      for (int i = 0; i < 50; i++) {
        lease.close();
        assertThat(waiting.get(i)).succeedsWithin(Duration.ofSeconds(60));
        lease = waiting.get(i).join();
        assertThat(waiting.get(i + 1)).isNotDone();
      }
      // A release, and the first renewal of the next (two requests, and perhaps a write); the
      // eight in front also poll, each with a few requests a second.
      long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      assertThat(server.counted("zk_packets_received") - before)
          .as("requests for fifty hand-overs in %s s", seconds)
          .isLessThan(50 * 10 + seconds * 100);
      lease.close();
    } finally {
      nodes.forEach(Pawl::close);
      store.close();
    }
  }

  private static Pawl patient(ZooKeeperStore store) {
    return patient(Pawl.builder(store));
  }

  private static Pawl patient(String url) {
    return patient(Pawl.builder(url));
  }

  private static Pawl patient(Pawl.Builder builder) {
    return builder
        .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(1)))
        .responseTimeout(Duration.ofMinutes(1))
        .build();
  }
}
