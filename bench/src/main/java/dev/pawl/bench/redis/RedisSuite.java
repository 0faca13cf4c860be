package dev.pawl.bench.redis;

import static dev.pawl.bench.contest.Scenario.HAND_OVER;
import static dev.pawl.bench.contest.Scenario.HELD_LOCKS;
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
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Locks in one Redis. */
public final class RedisSuite implements Suite {

  private static final Set<Scenario> WAITING = EnumSet.range(ONE_THREAD, HAND_OVER);
  private static final Set<Scenario> ALL = EnumSet.allOf(Scenario.class);

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public Backend start() {
    RedisServer server = RedisServer.start();
    return new Backend(
        server.url(), () -> server.count("evalsha") + server.count("eval"), server::close);
  }

  @Override
  public List<Entrant> entrants() {
    return List.of(
        new Entrant(
            "raw-lettuce",
            "raw Lettuce",
            "`SET NX PX` 10 s and a script; one connection; asks again at once",
            WAITING,
            RawLettuce::new),
        new Entrant(
            "raw-jedis", "raw Jedis", "the same; a pool of 64 connections", WAITING, RawJedis::new),
        new Entrant(
            "blpop",
            "`BLPOP`",
            "a token in a list, over Jedis; a pool of 64 connections; no lease",
            Scenario.CONTENDED,
            TokenPassing::new),
        pawl("lettuce", "defaults: lease of 10 s, one connection and one subscription"),
        pawl("jedis", "defaults: lease of 10 s, a pool of 64 connections and one subscription"),
        new Entrant(
            "redisson",
            "Redisson",
            "`RLock` of 4.7.0 at its defaults: watchdog of 30 s, 24 to 64 connections",
            ALL,
            RedissonLocks::plain),
        new Entrant(
            "redisson-fair",
            "Redisson fair",
            "`getFairLock`, else the same",
            WAITING,
            RedissonLocks::fair),
        new Entrant(
            "spring-spin",
            "Spring Integration",
            "`RedisLockRegistry` of 7.0.5, 10 s; Lettuce, one connection; asks every 100 ms",
            WAITING,
            SpringRedisLocks::spinning),
        new Entrant(
            "spring-pub-sub",
            "Spring Integration pub/sub",
            "the same with `PUB_SUB_LOCK`",
            WAITING,
            SpringRedisLocks::subscribing),
        new Entrant(
            "shedlock",
            "ShedLock",
            "`RedisLockProvider` of 7.10.1, 10 s; Lettuce, one connection; never waits",
            Scenario.UNCONTENDED,
            SpringRedisLocks::shedLock));
  }

  private static Entrant pawl(String client, String terms) {
    String id = "pawl-" + client;
    return new Entrant(
        id,
        "Pawl, " + (client.equals("jedis") ? "Jedis" : "Lettuce"),
        terms,
        ALL,
        address -> new PawlLocks(address + "?prefix=" + id + "&client=" + client));
  }

  @Override
  public List<String> yardsticks() {
    return List.of("raw-lettuce", "raw-jedis", "blpop", "redisson");
  }

  @Override
  public Duration renewalPeriod(String entrant) {
    return switch (entrant) {
      case "pawl-lettuce", "pawl-jedis" -> Duration.ofSeconds(10).dividedBy(3);
      case "redisson" -> Duration.ofSeconds(10);
      default -> Duration.ZERO;
    };
  }

  @Override
  public List<Aim> aims() {
    List<Aim> aims = new ArrayList<>();
    for (String client : List.of("lettuce", "jedis")) {
      String pawl = "pawl-" + client;
      for (Scenario scenario : List.of(ONE_THREAD, NEW_NAMES, OWN_NAMES)) {
        aims.add(Aim.atLeast(0.9, "raw-" + client, scenario, pawl));
      }
      aims.add(Aim.atLeast(1.2, "redisson", ONE_THREAD, pawl));
      aims.add(Aim.atLeast(5, "redisson", OWN_NAMES, pawl));
      aims.add(Aim.atLeast(20, "redisson", ONE_NAME, pawl));
      aims.add(Aim.atLeast(20, "redisson", PROCESSES, pawl));
      aims.add(Aim.atLeast(1, "blpop", PROCESSES, pawl));
      aims.add(Aim.atMost(1.5, Metric.UNFAIRNESS, PROCESSES, pawl));
      aims.add(Aim.atMost(0.3, "redisson", HAND_OVER, pawl));
      aims.add(Aim.atMost(1.5, "blpop", HAND_OVER, pawl));
      aims.add(Aim.atMost(11, Metric.RECOVERY, RECOVERY, pawl));
      aims.add(Aim.atMost(100, Metric.COMMANDS, HELD_LOCKS, pawl));
      aims.add(Aim.atMost(800, Metric.HEAP, HELD_LOCKS, pawl));
      aims.add(Aim.atMost(1, Metric.THREADS, HELD_LOCKS, pawl));
    }
    return aims;
  }
}
