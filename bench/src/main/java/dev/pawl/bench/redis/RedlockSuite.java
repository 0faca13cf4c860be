package dev.pawl.bench.redis;

import static dev.pawl.bench.contest.Scenario.HAND_OVER;
import static dev.pawl.bench.contest.Scenario.ONE_THREAD;

import dev.pawl.bench.contest.Aim;
import dev.pawl.bench.contest.Backend;
import dev.pawl.bench.contest.Entrant;
import dev.pawl.bench.contest.Scenario;
import dev.pawl.bench.contest.Suite;
import dev.pawl.bench.peer.PawlLocks;
import dev.pawl.testservers.RedisServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Locks by the majority of five independent Redis servers. */
public final class RedlockSuite implements Suite {

  private static final int SERVERS = 5;
  private static final Set<Scenario> WAITING = EnumSet.range(ONE_THREAD, HAND_OVER);

  @Override
  public String name() {
    return "redlock";
  }

  @Override
  public Backend start() {
    List<RedisServer> servers = Stream.generate(RedisServer::start).limit(SERVERS).toList();
    String addresses = servers.stream().map(RedisServer::url).collect(Collectors.joining(","));
    return new Backend(addresses, () -> 0, () -> servers.forEach(RedisServer::close));
  }

  @Override
  public List<Entrant> entrants() {
    return List.of(
        new Entrant(
            "raw",
            "raw Lettuce",
            "`SET NX PX` 10 s on five servers in parallel; one connection each; asks again at once",
            WAITING,
            RawRedlock::new),
        new Entrant(
            "pawl",
            "Pawl",
            "defaults: lease of 10 s, one connection and one subscription for each server",
            WAITING,
            addresses -> new PawlLocks("redlock://" + addresses.replace("redis://", ""))),
        new Entrant(
            "redisson",
            "Redisson RedLock",
            "`RedissonRedLock` of 4.7.0 at its defaults: watchdog of 30 s, 24 to 64 connections"
                + " for each server",
            WAITING,
            RedissonLocks::redLock));
  }

  @Override
  public List<String> yardsticks() {
    return List.of("raw", "redisson");
  }

  @Override
  public List<Aim> aims() {
    return Stream.of(Scenario.values())
        .filter(scenario -> WAITING.contains(scenario) && scenario != HAND_OVER)
        .map(scenario -> Aim.atLeast(4, "redisson", scenario, "pawl"))
        .toList();
  }
}
