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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight processes under load on a pair whose primary fails and comes back: three times there and
 * back, and with {@code -Dpawl.long=true} thirty times and with other stores. What they believed to
 * hold does not overlap at a fenced resource, tokens rise, no tick runs twice, nobody is stuck, and
 * nothing is left behind in either store.
 */
@Tag("safety")
class DegradeProcessTest {

  private static final String WHY_LONG = "takes minutes";
  private static final int NODES = 8;
  private static final List<Integer> ALL = PairLoad.nodes(0, NODES);

  /** How often the locks return without a person. */
  private static final int BY_THEMSELVES = 2;

  private static final String OPTIONS = " | mode-lease=5s&return-after=1s&dead-after=2s";

  @TempDir private Path directory;

  @Test
  void nothingOverlapsAndNobodyIsStuckWhenRedisIsKilledPausedOrCutOffAndComesBack()
      throws Exception {
    try (RedisPrimary primary = RedisPrimary.start(NODES);
        PostgresServer postgres = PostgresServer.start()) {
      play(
          primary.url(),
          postgres.url(),
          primary::url,
          List.of(primary.killedAndEmpty(), primary.paused(), primary.cutOffFromMost()));
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = WHY_LONG)
  void thirtySwitchesOfEveryKind() throws Exception {
    try (RedisPrimary primary = RedisPrimary.start(NODES);
        PostgresServer postgres = PostgresServer.start()) {
      List<Fault> kinds =
          List.of(
              primary.killedAndEmpty(),
              primary.paused(),
              primary.cutOffFromMost(),
              primary.killed(),
              primary.stalledForMost(),
              primary.killedWhileAProcessIsStopped());
      List<Fault> faults = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        faults.add(kinds.get(i % kinds.size()));
      }
      play(primary.url(), postgres.url(), primary::url, faults);
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = WHY_LONG)
  void halfOfTheProcessesAreCutOffAndTheOthersGoOnWithoutASwitch() throws Exception {
    try (RedisPrimary primary = RedisPrimary.start(NODES);
        PostgresServer postgres = PostgresServer.start();
        PairLoad load =
            PairLoad.start(
                NODES, directory, true, node -> pair(primary.url(node), postgres.url()));
        Pawl watcher = watcher(pair(primary.url(), postgres.url()))) {
      PairedStore store = (PairedStore) watcher.store();
      load.awaitProgress("on the primary", ALL);
      long epoch = status(store).epoch();
      for (int round = 0; round < 3; round++) {
        String when = "in round " + round;
        primary.cutOff(NODES / 2);
        for (int node = 0; node < NODES / 2; node++) {
          load.awaitRefusal(node, when);
        }
        load.awaitProgress("though half are cut off " + when, PairLoad.nodes(NODES / 2, NODES));
        primary.heal();
        load.awaitProgress("healed " + when, ALL);
      }
      assertThat(status(store).epoch()).as("there was no switch").isEqualTo(epoch);
      end(load, List.of(primary.url(), postgres.url()));
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = WHY_LONG)
  void withMariaDbAsTheBackup() throws Exception {
    try (RedisPrimary primary = RedisPrimary.start(NODES);
        MariaDbServer maria = MariaDbServer.start()) {
      play(primary.url(), maria.url(), primary::url, primary.three());
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = WHY_LONG)
  void withSqliteAsTheBackup() throws Exception {
    try (RedisPrimary primary = RedisPrimary.start(NODES)) {
      String backup = "sqlite:" + directory.resolve("locks.db");
      play(primary.url(), backup, primary::url, primary.three());
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = WHY_LONG)
  void withZooKeeperAsThePrimary() throws Exception {
    try (ZooKeeperServer zooKeeper = ZooKeeperServer.start();
        PostgresServer postgres = PostgresServer.start()) {
      String url = "zk://" + zooKeeper.address() + "/pair";
      Fault killed = Fault.of(zooKeeper::kill, () -> zooKeeper.restart(true));
      Fault paused = Fault.of(zooKeeper::pause, zooKeeper::resume);
      play(url, postgres.url(), node -> url, List.of(killed, paused, killed));
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = WHY_LONG)
  void withRedlockAsThePrimary() throws Exception {
    try (RedisServer one = RedisServer.start();
        RedisServer two = RedisServer.start();
        RedisServer three = RedisServer.start();
        PostgresServer postgres = PostgresServer.start()) {
      String url =
          "redlock://"
              + IntStream.of(one.port(), two.port(), three.port())
                  .mapToObj(port -> "127.0.0.1:" + port)
                  .collect(Collectors.joining(","));
      Fault killed =
          Fault.of(
              () -> List.of(one, two).forEach(RedisServer::kill),
              () -> List.of(one, two).forEach(RedisServer::startAgain));
      Fault paused =
          Fault.of(
              () -> List.of(two, three).forEach(RedisServer::pause),
              () -> List.of(two, three).forEach(RedisServer::resume));
      String pair = pair(url, postgres.url());
      try (PairLoad load = PairLoad.start(NODES, directory, false, node -> pair);
          Pawl watcher = watcher(pair)) {
        PairedStore store = (PairedStore) watcher.store();
        switchBackAndForth(load, store, List.of(killed, paused, killed));
        end(load, List.of(one.url(), two.url(), three.url(), postgres.url()));
      }
    }
  }

  private static String pair(String primary, String backup) {
    return primary + " | " + backup + OPTIONS;
  }

  private static Pawl watcher(String url) {
    return Pawl.builder(url).label("watcher").existingStore().build();
  }

  private void play(
      String primary, String backup, IntFunction<String> primaryOf, List<Fault> faults)
      throws Exception {
    try (PairLoad load =
            PairLoad.start(NODES, directory, true, node -> pair(primaryOf.apply(node), backup));
        Pawl watcher = watcher(pair(primary, backup))) {
      PairedStore store = (PairedStore) watcher.store();
      switchBackAndForth(load, store, faults);
      end(load, List.of(primary, backup));
    }
  }

  private static void switchBackAndForth(PairLoad load, PairedStore store, List<Fault> faults) {
    load.awaitProgress("on the primary", ALL);
    for (int round = 0; round < faults.size(); round++) {
      String when = "in round " + round;
      Fault fault = faults.get(round);
      fault.begin(load);
      load.await("the mode is BACKUP " + when, () -> isIn(store, Mode.BACKUP));
      load.awaitProgress("on the backup " + when, fault.working(ALL));
      fault.end(load);
      // By themselves they return later each time; a person need not wait.
      boolean byHand = round >= BY_THEMSELVES;
      load.await(
          "the mode is PRIMARY " + when, () -> byHand ? isMoved(store) : isIn(store, Mode.PRIMARY));
      load.awaitProgress("on the primary again " + when, ALL);
    }
    load.checkWarnings(faults.size());
  }

  /** Ends the processes, and looks at what they have said and left. */
  private static void end(PairLoad load, List<String> stores) {
    load.finish();
    load.check();
    for (String url : stores) {
      try (Pawl one = watcher(url)) {
        load.await("nothing is held or waited for in " + url, () -> used(one).isEmpty());
      }
    }
  }

  private static List<LockInfo> used(Pawl store) {
    return store.inspector().list("", 100).stream()
        .filter(lock -> !lock.holders().isEmpty() || !lock.waiters().isEmpty())
        .toList();
  }

  /** Moves the locks to the primary as soon as all reach it; tells whether they are there. */
  private static boolean isMoved(PairedStore store) {
    try {
      PairStatus seen = status(store);
      if (seen.mode() != Mode.BACKUP || seen.nodes().stream().anyMatch(node -> !node.reaches())) {
        return seen.mode() == Mode.PRIMARY;
      }
      return store
              .move(seen, Mode.PRIMARY, "test", "not to wait")
              .toCompletableFuture()
              .orTimeout(30, TimeUnit.SECONDS)
              .join()
              .mode()
          == Mode.PRIMARY;
    } catch (CompletionException e) {
      return false; // A node was faster, or the backup slow.
    }
  }

  /** Tells whether that is the mode; a backup that is slow on a busy machine has not said so. */
  private static boolean isIn(PairedStore store, Mode mode) {
    try {
      return status(store).mode() == mode;
    } catch (CompletionException e) {
      return false;
    }
  }

  private static PairStatus status(PairedStore store) {
    return store.status().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
