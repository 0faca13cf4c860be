package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers who change their mind. */
class GivingUpTest {

  private static final Duration LONG = Duration.ofSeconds(60);
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

  /** An interrupt, a timeout or a cancel at whatever moment leaves no node behind. */
  @ParameterizedTest
  @ValueSource(strings = {"fair", "simple"})
  void whoeverGivesUpAtWhateverMomentLeavesNoNodeBehind(String strategy) throws Exception {
    int rounds = Boolean.getBoolean("pawl.long") ? 5_000 : 300;
    long seed = Long.getLong("pawl.seed", System.nanoTime());
    System.out.println("give-ups, " + strategy + ": -Dpawl.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    String url = "zk://" + server.address() + "?sessionTimeout=60s&strategy=" + strategy;
    try (Pawl a = Pawl.builder(url).label("a").responseTimeout(LONG).build();
        Pawl b = Pawl.builder(url).label("b").responseTimeout(LONG).build()) {
      for (int round = 0; round < rounds; round++) {
        String name = "give-up-" + strategy + round % 7;
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
        b.lock("give-up-" + strategy + i).acquire(LONG).close();
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
