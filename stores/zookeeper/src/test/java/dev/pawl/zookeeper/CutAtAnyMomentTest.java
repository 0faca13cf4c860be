package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A connection that is cut at any moment, with answers lost on the way, while claims of every kind
 * come and go. The session outlives it: a node that nobody remembers would stay, and its name would
 * be stuck for as long as the process lives.
 */
class CutAtAnyMomentTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final LockOptions UNFAIR = LockOptions.DEFAULT.withFair(false);
  private static final int NAMES = 3;

  @Test
  void noNodeIsLeftBehindAndNoNameIsStuck() throws Exception {
    int cuts = Boolean.getBoolean("pawl.long") ? 1_000 : 60;
    long seed = Long.getLong("pawl.seed", System.nanoTime());
    System.out.println("cuts: -Dpawl.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicBoolean stopped = new AtomicBoolean();
    try (ZooKeeperServer server = ZooKeeperServer.start();
        Looker looker = new Looker(server.address());
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        Pawl a = connect(proxy.port());
        Pawl b = connect(proxy.port());
        Pawl direct =
            Pawl.builder("zk://" + server.address() + "?sessionTimeout=120s")
                .responseTimeout(LONG)
                .build()) {
      List<CompletableFuture<Void>> callers =
          Stream.of(a, a, a, b, b, b, direct)
              .map(pawl -> new Caller(pawl, random.split(), stopped))
              .map(caller -> CompletableFuture.runAsync(caller, threads))
              .toList();
      for (int cut = 0; cut < cuts; cut++) {
        LockSupport.parkNanos(random.nextLong(100_000_000));
        if (random.nextBoolean()) {
          proxy.dropReplies();
          LockSupport.parkNanos(random.nextLong(20_000_000));
        }
        proxy.cut();
        proxy.heal();
      }
      stopped.set(true);
      for (CompletableFuture<Void> caller : callers) {
        caller.join();
      }

      eventually("no claim is left", () -> looker.nodesOf("/pawl", "cut-") == 0);
      for (int i = 0; i < NAMES; i++) {
        try (Lease lease = direct.lock("cut-" + i).acquire(LONG)) {
          assertThat(lease.isHeld()).isTrue();
        }
      }
    } finally {
      stopped.set(true);
      threads.shutdown();
    }
  }

  private static Pawl connect(int port) {
    return Pawl.builder("zk://127.0.0.1:" + port + "?sessionTimeout=120s").build();
  }

  /** Takes names in every way there is, for moments. */
  private record Caller(Pawl pawl, SplittableRandom random, AtomicBoolean stopped)
      implements Runnable {

    @Override
    public void run() {
      while (!stopped.get()) {
        try {
          take("cut-" + random.nextInt(NAMES)).ifPresent(this::hold);
        } catch (StoreUnavailableException | OutcomeUnknownException e) {
          // The connection was cut, which is told.
        } catch (InterruptedException e) {
          throw new CompletionException(e);
        }
      }
    }

    private Optional<Lease> take(String name) throws InterruptedException {
      Duration wait = Duration.ofMillis(random.nextInt(300));
      return switch (random.nextInt(7)) {
        case 0 -> pawl.lock(name).tryAcquire(wait);
        case 1 -> pawl.readWriteLock(name).readLock().tryAcquire(wait);
        case 2 -> pawl.readWriteLock(name, UNFAIR).readLock().tryAcquire(wait);
        case 3 -> pawl.semaphore(name + "-permits", 2).tryAcquire(1, wait);
        case 4 -> pawl.semaphore(name + "-permits", 2, UNFAIR).tryAcquire(1, wait);
        default -> unfair(name).tryAcquire(wait);
      };
    }

    private DistributedLock unfair(String name) {
      return pawl.lock(name, UNFAIR);
    }

    private void hold(Lease lease) {
      LockSupport.parkNanos(random.nextLong(5_000_000));
      lease.close();
    }
  }
}
