package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A vote that is split among several who asked at once is repeated. */
class SplitVoteTest {

  private static final int THREADS = 2;

  @Test
  void withoutTheThreadsOfTheApplication() throws Exception {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism=" + THREADS,
                "-cp",
                System.getProperty("java.class.path"),
                BusyApplication.class.getName())
            .inheritIO()
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** What is run in a process of its own, whose common pool has other things to do. */
  static final class BusyApplication {
    public static void main(String[] args) throws Exception {
      CountDownLatch busy = new CountDownLatch(THREADS);
      for (int i = 0; i < THREADS; i++) {
        ForkJoinPool.commonPool().execute(() -> workForEver(busy));
      }
      busy.await();
      List<SimulatedServer> servers =
          Stream.generate(() -> new SimulatedServer(() -> 1_800_000_000_000_000L, new Random(1)))
              .limit(3)
              .toList();
      for (SimulatedServer server : servers) {
        var unused = server.acquire(claim("other-" + servers.indexOf(server)), 0);
      }
      AcquireReply reply =
          new Redlock("simulated", servers, () -> System.nanoTime() / 1_000, 3)
              .acquire(claim("asking"))
              .toCompletableFuture()
              .get(1, TimeUnit.MINUTES);
      System.exit(reply instanceof AcquireReply.Busy ? 0 : 1);
    }

    private static void workForEver(CountDownLatch busy) {
      busy.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private static Command.Acquire claim(String node) {
      return new Command.Acquire(
          "a",
          new ClaimId(node, 1),
          Command.EVERYTHING,
          Command.EVERYTHING,
          60_000_000,
          1,
          OptionalLong.empty(),
          false,
          false,
          node,
          "actor");
    }
  }
}
