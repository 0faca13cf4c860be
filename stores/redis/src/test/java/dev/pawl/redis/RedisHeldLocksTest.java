package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What many locks that are held cost the node, and the server. */
@Isolated("it measures the heap")
class RedisHeldLocksTest {

  private static final long BYTES_OF_EACH = 800;

  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private long scripts() {
    return server.count("evalsha") + server.count("eval");
  }

  @Test
  void tenThousandHeldLocksAreRenewedWithAHundredCommands() throws Exception {
    Measurement.whereNothingStalls(this::renewTenThousandHeldLocks);
  }

  private void renewTenThousandHeldLocks() throws Exception {
    try (Pawl pawl = RedisCostTest.connectPatiently(server.url())) {
      pawl.lock("warm").acquire().close();
      List<CompletableFuture<Lease>> leases = new ArrayList<>(10_000);
      long heap = usedHeap();
      for (int i = 0; i < 10_000; i++) {
        leases.add(pawl.lock("held-" + i).acquireAsync(Duration.ofMinutes(1)));
        RedisCostTest.letThemBeAnswered(pawl, i);
      }
      CompletableFuture.allOf(leases.toArray(CompletableFuture[]::new)).join();
      assertThat(leastHeap(heap + 10_000 * BYTES_OF_EACH) - heap)
          .as("bytes of heap for ten thousand")
          .isLessThan(10_000 * BYTES_OF_EACH);
      long start = System.nanoTime();
      server.resetStatistics();
      RedisCostTest.until(() -> scripts() >= 40);
      RedisCostTest.sleep(3_400);
      long renewals = scripts();
      double thirds = (System.nanoTime() - start) / 1e9 / 3.333;
      assertThat(renewals)
          .as("in %.1f thirds of the lease", thirds)
          .isLessThanOrEqualTo((long) (100 * Math.ceil(thirds)));
      assertThat(leases).allMatch(lease -> lease.join().isHeld());
    }
    RedisCostTest.until(() -> RedisConformance.leftovers(server, "") == 0);
  }

  /**
   * What is used when it is less than that, or the least there was: while calls are under way, as
   * renewals are now and then, they take their share.
   */
  private static long leastHeap(long enough) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    long least = usedHeap();
    while (least >= enough && System.nanoTime() < end) {
      least = Math.min(least, usedHeap());
    }
    return least;
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
      RedisCostTest.sleep(50);
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
