package dev.pawl.bench.zookeeper;

import static dev.pawl.bench.contest.Scenario.HAND_OVER;
import static dev.pawl.bench.contest.Scenario.NEW_NAMES;
import static dev.pawl.bench.contest.Scenario.ONE_NAME;
import static dev.pawl.bench.contest.Scenario.ONE_THREAD;
import static dev.pawl.bench.contest.Scenario.OWN_NAMES;
import static dev.pawl.bench.contest.Scenario.PROCESSES;
import static dev.pawl.bench.contest.Scenario.RECOVERY;

import dev.pawl.bench.contest.Aim;
import dev.pawl.bench.contest.Backend;
import dev.pawl.bench.contest.Entrant;
import dev.pawl.bench.contest.Metric;
import dev.pawl.bench.contest.Scenario;
import dev.pawl.bench.contest.Suite;
import dev.pawl.bench.peer.PawlLocks;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Locks in one ZooKeeper server, whose transactions go to the disk. */
public final class ZooKeeperSuite implements Suite {

  private static final Set<Scenario> WAITING = EnumSet.range(ONE_THREAD, HAND_OVER);
  private static final Set<Scenario> ALL = EnumSet.allOf(Scenario.class);

  /** Two fifths of a session of 10 s are trusted, and a lease is renewed at a third of that. */
  private static final Duration RENEWAL = Duration.ofSeconds(10).multipliedBy(2).dividedBy(5 * 3);

  @Override
  public String name() {
    return "zookeeper";
  }

  @Override
  public Backend start() {
    ZooKeeperServer server =
        ZooKeeperServer.start(
            Map.of("tickTime", "1000"),
            "-Dzookeeper.forceSync=yes",
            "-Xmx1g",
            "-XX:TieredStopAtLevel=4");
    return new Backend(
        server.address(), () -> server.counted("zk_packets_received"), server::close);
  }

  @Override
  public List<Entrant> entrants() {
    return List.of(
        new Entrant(
            "raw",
            "raw create + delete",
            "an ephemeral node, ZooKeeper's own client; session of 10 s; asks again at once",
            WAITING,
            RawZooKeeper::new),
        new Entrant(
            "pawl",
            "Pawl",
            "defaults: strategy fair, lease of 10 s, session of 10 s",
            ALL,
            address -> new PawlLocks("zk://" + address + "/fair")),
        new Entrant(
            "pawl-simple",
            "Pawl, simple",
            "strategy simple, else the same",
            ALL,
            address -> new PawlLocks("zk://" + address + "/simple?strategy=simple")),
        new Entrant(
            "curator",
            "Curator mutex",
            "`InterProcessMutex` of 5.9.0; session of 10 s",
            WAITING,
            CuratorLocks::mutex),
        new Entrant(
            "curator-write",
            "Curator write lock",
            "the write lock of `InterProcessReadWriteLock`; session of 10 s",
            WAITING,
            CuratorLocks::writeLock),
        new Entrant(
            "curator-semaphore",
            "Curator semaphore",
            "`InterProcessSemaphoreV2` of one permit; session of 10 s",
            WAITING,
            CuratorLocks::semaphore));
  }

  @Override
  public List<String> yardsticks() {
    return List.of("raw", "curator");
  }

  @Override
  public Duration renewalPeriod(String entrant) {
    return entrant.startsWith("pawl") ? RENEWAL : Duration.ZERO;
  }

  @Override
  public List<Aim> aims() {
    return List.of(
        Aim.atLeast(0.9, "raw", ONE_THREAD, "pawl"),
        Aim.atLeast(0.9, "raw", OWN_NAMES, "pawl"),
        Aim.atLeast(2.5, "curator", NEW_NAMES, "pawl"),
        Aim.atLeast(40, "curator", ONE_NAME, "pawl"),
        Aim.atLeast(10, "curator", PROCESSES, "pawl"),
        Aim.atMost(1.5, Metric.UNFAIRNESS, PROCESSES, "pawl"),
        Aim.atMost(1, "curator", HAND_OVER, "pawl"),
        // The session, rounded up to a tick, and a second.
        Aim.atMost(12, Metric.RECOVERY, RECOVERY, "pawl"));
  }
}
