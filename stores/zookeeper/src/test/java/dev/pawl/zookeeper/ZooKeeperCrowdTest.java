package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waiting and leaving costs the server, and what it leaves there. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class ZooKeeperCrowdTest {

  private static final Duration LONG = Duration.ofSeconds(60);
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

  /** A number of the server's own, from {@code mntr}. */
  private static long counted(String what) {
    return server
        .fourLetters("mntr")
        .lines()
        .filter(line -> line.startsWith(what + "\t"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(what.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  @Test
  void ofSixtyFourWhoWaitOneIsWoken() throws Exception {
    String name = "herd";
    List<Pawl> nodes = new ArrayList<>();
    try (ZooKeeperStore store = open()) {
      for (int i = 0; i <= WAITERS; i++) {
        nodes.add(Pawl.builder(store).label("n" + i).build());
      }
      LockOptions patient = LockOptions.DEFAULT.withLease(Duration.ofSeconds(30));
      Lease lease = nodes.get(0).lock(name, patient).acquire();
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int i = 1; i <= WAITERS; i++) {
        int place = i;
        waiting.add(nodes.get(i).lock(name, patient).acquireAsync(LONG));
        eventually("it waits", () -> looker.nodesOf("/pawl", name) == place + 2);
      }
      long before = counted("zk_sum_node_deleted_watch_count");
      eventually("each has one watch", () -> counted("zk_watch_count") >= WAITERS);
      for (int i = 0; i < 5; i++) {
        lease.close();
        lease = waiting.get(i).get(60, TimeUnit.SECONDS);
      }

      assertThat(counted("zk_sum_node_deleted_watch_count") - before)
          .as("watches that five releases have fired; fewer where a poll came first")
          .isBetween(1L, 5L);
      lease.close();
    } finally {
      nodes.forEach(Pawl::close);
    }
  }

  @Test
  void readersBehindAWriterWakeTogether() throws Exception {
    try (ZooKeeperStore store = open();
        Pawl writer = Pawl.builder(store).label("w").build();
        Pawl one = Pawl.builder(store).label("r1").build();
        Pawl two = Pawl.builder(store).label("r2").build()) {
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
        Pawl pawl = Pawl.builder(store).build()) {
      pawl.lock("trips").acquire().close(); // The name's node, and the session's.
      int pairs = 50;
      long before = counted("zk_packets_received");
      for (int i = 0; i < pairs; i++) {
        pawl.lock("trips").acquire().close();
      }
      long requests = counted("zk_packets_received") - before;

      // A create and a list that leave together, and a delete; and pings, and this question.
      assertThat(requests).isBetween(3L * pairs, 3L * pairs + 20);
    }
  }

  @Test
  void tenThousandNamesLeaveNothingBehind() throws Exception {
    int names = Boolean.getBoolean("pawl.long") ? 10_000 : 2_000;
    try (ZooKeeperStore store = open();
        Pawl pawl = Pawl.builder(store).build()) {
      List<CompletableFuture<Void>> done = new ArrayList<>();
      for (int i = 0; i < names; i++) {
        done.add(pawl.lock("many-" + i).acquireAsync(LONG).thenAccept(Lease::close));
        if (i % 200 == 199) {
          CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        }
      }
      eventually("nothing is left", () -> looker.nodesOf("/pawl", "many-") == 0);
    }
  }

  /** An interrupt, a time-out or a cancel at whatever moment leaves no node behind. */
  @Test
  void whoeverGivesUpAtWhateverMomentLeavesNoNodeBehind() throws Exception {
    int rounds = Boolean.getBoolean("pawl.long") ? 5_000 : 600;
    SplittableRandom random = new SplittableRandom(7);
    try (ZooKeeperStore store = open();
        ZooKeeperStore second = open();
        Pawl a = Pawl.builder(store).label("a").build();
        Pawl b = Pawl.builder(second).label("b").build()) {
      for (int round = 0; round < rounds; round++) {
        String name = "give-up-" + round % 7;
        Lease held = random.nextBoolean() ? b.lock(name).acquire(LONG) : null;
        long delay = random.nextLong(3_000_000);
        switch (random.nextInt(3)) {
          case 0 -> interrupted(a, name, delay);
          case 1 -> a.lock(name).tryAcquire(Duration.ofNanos(delay)).ifPresent(Lease::close);
          default -> {
            CompletableFuture<Lease> future = a.lock(name).acquireAsync(LONG);
            LockSupport.parkNanos(delay);
            if (!future.cancel(true)) {
              future.join().close();
            }
          }
        }
        if (held != null) {
          held.close();
        }
      }
      eventually("no claim is left", () -> looker.nodesOf("/pawl", "give-up-") == 0);
      for (int i = 0; i < 7; i++) {
        b.lock("give-up-" + i).acquire(LONG).close();
      }
    }
  }

  private static void interrupted(Pawl pawl, String name, long delayNanos) throws Exception {
    Thread thread =
        new Thread(
            () -> {
              try {
                pawl.lock(name).acquire(LONG).close();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    LockSupport.parkNanos(delayNanos);
    thread.interrupt();
    thread.join();
  }
}
