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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What many locks that are held cost the node, and the server. */
@Isolated("it measures the heap")
class RedisHeldLocksTest {

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
    // What it takes of the heap is seen only when nothing else has just been let go.
    Measurement.whereNothingStalls(this::renewTenThousandHeldLocks);
  }

  private void renewTenThousandHeldLocks() throws Exception {
    try (Pawl pawl = Pawl.connect(server.url())) {
      pawl.lock("warm").acquire().close();
      List<CompletableFuture<Lease>> leases = new ArrayList<>(10_000);
      long heap = usedHeap();
      for (int i = 0; i < 10_000; i++) {
        leases.add(pawl.lock("held-" + i).acquireAsync(Duration.ofMinutes(1)));
        RedisCostTest.letThemBeAnswered(pawl, i);
      }
      CompletableFuture.allOf(leases.toArray(CompletableFuture[]::new)).join();
      assertThat((usedHeap() - heap) / 10_000).as("bytes of heap for each").isLessThan(800);
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
    assertThat(RedisConformance.leftovers(server, "")).isZero();
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
      RedisCostTest.sleep(50);
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
