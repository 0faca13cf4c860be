package dev.pawl.bench.hazelcast;

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
import dev.pawl.testservers.HazelcastCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Locks in a Hazelcast cluster of three members, in processes of their own, with one backup. */
public final class HazelcastSuite implements Suite {

  private static final Set<Scenario> WAITING = EnumSet.range(ONE_THREAD, HAND_OVER);

  @Override
  public String name() {
    return "hazelcast";
  }

  @Override
  public Backend start() {
    HazelcastCluster cluster =
        HazelcastCluster.start(3, HazelcastCluster.Setup.of(System.getProperty("java.class.path")));
    return new Backend(cluster.url(), () -> 0, cluster::close);
  }

  @Override
  public List<Entrant> entrants() {
    return List.of(
        new Entrant(
            "imap",
            "`IMap.lock`",
            "`lock` and `unlock` of a key; a client at its defaults; no lease",
            WAITING,
            MapLocks::new),
        new Entrant(
            "pawl",
            "Pawl",
            "defaults: lease of 10 s, a client with the connections of any",
            EnumSet.allOf(Scenario.class),
            PawlLocks::new),
        new Entrant(
            "shedlock",
            "ShedLock",
            "`HazelcastLockProvider` of 4.36.0 with the core of 7.10.1, 10 s; a client at its defaults; never waits",
            Scenario.UNCONTENDED,
            MapLocks::shedLock));
  }

  @Override
  public List<String> yardsticks() {
    return List.of("imap");
  }

  @Override
  public Duration renewalPeriod(String entrant) {
    return entrant.equals("pawl") ? Duration.ofSeconds(10).dividedBy(3) : Duration.ZERO;
  }

  @Override
  public List<Aim> aims() {
    List<Aim> aims = new ArrayList<>();
    for (Scenario scenario : List.of(ONE_THREAD, NEW_NAMES, OWN_NAMES)) {
      aims.add(Aim.atLeast(0.7, "imap", scenario, "pawl"));
    }
    aims.add(Aim.atLeast(5, "imap", ONE_NAME, "pawl"));
    aims.add(Aim.atLeast(5, "imap", PROCESSES, "pawl"));
    aims.add(Aim.atMost(1.5, Metric.UNFAIRNESS, PROCESSES, "pawl"));
    aims.add(Aim.atMost(11, Metric.RECOVERY, RECOVERY, "pawl"));
    return aims;
  }
}
