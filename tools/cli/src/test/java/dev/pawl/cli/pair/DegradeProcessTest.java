package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairedStore;
import dev.pawl.testservers.MariaDbServer;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.ZooKeeperServer;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes under load on a pair whose primary is killed, paused, and comes back: three times
 * there and back, thirty with {@code -Dpawl.long=true}.
 */
@Tag("safety")
class DegradeProcessTest {

  private static final boolean LONG = Boolean.getBoolean("pawl.long");
  private static final int NODES = 8;
  private static final int SWITCHES = LONG ? 30 : 3;

  /** How often the locks return without a person. */
  private static final int BY_THEMSELVES = 2;

  private static final String OPTIONS = " | mode-lease=5s&return-after=1s&dead-after=2s";

  @TempDir private Path directory;

  /** What happens to a primary. */
  private interface Primary {
    void fail(int round);

    void recover(int round);
  }

  @Test
  @EnabledIfSystemProperty(
      named = "pawl.long",
      matches = "true",
      disabledReason = "takes minutes, and a waiter has been left behind in some runs")
  void nothingOverlapsAndNobodyIsStuckWhenRedisIsKilledOrPausedAndComesBack() throws Exception {
    try (RedisServer redis = RedisServer.start();
        PostgresServer postgres = PostgresServer.start()) {
      play(redis.url() + " | " + postgres.url(), SWITCHES, of(redis));
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "pawl.long",
      matches = "true",
      disabledReason = "takes minutes, and a waiter has been left behind in some runs")
  void withMariaDbAsTheBackup() throws Exception {
    try (RedisServer redis = RedisServer.start();
        MariaDbServer maria = MariaDbServer.start()) {
      play(redis.url() + " | " + maria.url(), 3, of(redis));
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "pawl.long",
      matches = "true",
      disabledReason = "takes minutes, and a waiter has been left behind in some runs")
  void withSqliteAsTheBackup() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      play(redis.url() + " | sqlite:" + directory.resolve("locks.db"), 3, of(redis));
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "pawl.long",
      matches = "true",
      disabledReason = "takes minutes, and a waiter has been left behind in some runs")
  void withZooKeeperAsThePrimary() throws Exception {
    try (ZooKeeperServer zooKeeper = ZooKeeperServer.start();
        PostgresServer postgres = PostgresServer.start()) {
      play(
          "zk://" + zooKeeper.address() + "/pair | " + postgres.url(),
          3,
          new Primary() {
            @Override
            public void fail(int round) {
              if (round % 2 == 0) {
                zooKeeper.kill();
              } else {
                zooKeeper.pause();
              }
            }

            @Override
            public void recover(int round) {
              if (round % 2 == 0) {
                zooKeeper.restart(true);
              } else {
                zooKeeper.resume();
              }
            }
          });
    }
  }

  private static Primary of(RedisServer redis) {
    return new Primary() {
      @Override
      public void fail(int round) {
        if (round % 2 == 0) {
          redis.kill();
        } else {
          redis.pause();
        }
      }

      @Override
      public void recover(int round) {
        if (round % 2 == 0) {
          redis.startAgain();
        } else {
          redis.resume();
        }
      }
    };
  }

  private void play(String pair, int switches, Primary primary) throws Exception {
    String url = pair + OPTIONS;
    try (PairLoad load = PairLoad.start(NODES, directory, () -> url);
        Pawl watcher = Pawl.builder(url).label("watcher").existingStore().build()) {
      PairedStore store = (PairedStore) watcher.store();
      load.awaitProgress("on the primary");
      for (int round = 0; round < switches; round++) {
        String when = "in round " + round;
        primary.fail(round);
        await(load, store, Mode.BACKUP, when);
        load.awaitProgress("on the backup " + when);
        primary.recover(round);
        // By themselves they return later each time; a person need not wait.
        boolean byHand = round >= BY_THEMSELVES;
        load.await(
            "the mode is PRIMARY " + when,
            () -> (byHand ? moved(store) : status(store)).mode() == Mode.PRIMARY);
        load.awaitProgress("on the primary again " + when);
      }
      load.finish();
      load.check();
      assertThat(watcher.inspector().list("", 100))
          .as("held or waited for at the end")
          .filteredOn(DegradeProcessTest::isUsed)
          .isEmpty();
    }
  }

  private static boolean isUsed(LockInfo lock) {
    return !lock.holders().isEmpty() || !lock.waiters().isEmpty();
  }

  private static void await(PairLoad load, PairedStore store, Mode mode, String when) {
    load.await("the mode is " + mode + " " + when, () -> status(store).mode() == mode);
  }

  private static PairStatus moved(PairedStore store) {
    PairStatus seen = status(store);
    if (seen.mode() != Mode.BACKUP || seen.nodes().stream().anyMatch(node -> !node.reaches())) {
      return seen;
    }
    try {
      return store
          .move(seen, Mode.PRIMARY, "test", "not to wait")
          .toCompletableFuture()
          .orTimeout(30, TimeUnit.SECONDS)
          .join();
    } catch (CompletionException e) {
      return status(store); // A node was faster.
    }
  }

  private static PairStatus status(PairedStore store) {
    return store.status().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
