package dev.pawl.bench;

import dev.pawl.bench.contest.Plan;
import dev.pawl.bench.contest.Scenario;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was asked for on the command line.
 *
 * @param suites the names of the suites, in order
 * @param plan what to measure, and for how long
 */
record Arguments(List<String> suites, Plan plan) {

  static final String HELP =
      """
      usage: bench/run SUITE [--quick | --full] [--only SCENARIO]...
             bench/run engine [argument of JMH]...
             bench/run crowd [--help]

      Compares Pawl with the bare drivers and with its peers, all in one run, on
      servers that it starts itself. Tables go to the output, how far it is to the
      error output, every single value to bench/target/results/SUITE.json.

      suites
        redis        one Redis: Lettuce, Jedis, BLPOP, Redisson, Spring Integration,
                     ShedLock
        redlock      five Redis servers: Lettuce, Redisson's RedLock
        zookeeper    one server: create and delete, Curator's mutex, write lock and
                     semaphore; Pawl's fair and simple strategy
        hazelcast    members: IMap.lock, ShedLock
        sql          sqlite, postgresql and mariadb, one after the other
        sqlite, postgresql, mariadb
                     bare statements, session locks, ShedLock, Spring Integration;
                     Pawl's lease record, unique key and row lock
        engine       Pawl's engine on the memory store, by JMH
        crowd        very many callers, holders and waiting nodes: Redis, PostgreSQL;
                     Redisson

      options
        --quick      a first look: less than 2 minutes for redis, and for sql
        --full       for figures that are to be published: an hour or more
        --only SCENARIO
                     one of them; may be given several times

      scenarios
        one-thread   1 thread, the same name
        new-names    1 thread, a new name each time
        own-names    16 threads of one process, own names
        one-name     16 threads of one process, one name
        processes    4 processes with 4 threads each, one name
        hand-over    from a release in one process to the acquire of another
        recovery     a holder is killed: until another has the lock
        held-locks   10,000 locks held: commands, heap, threads

      Only ratios within one run mean something, and only on a machine that does
      nothing else. See bench/README.md.
      """;

  private static final Map<String, List<String>> SUITES =
      Map.of(
          "redis", List.of("redis"),
          "redlock", List.of("redlock"),
          "zookeeper", List.of("zookeeper"),
          "hazelcast", List.of("hazelcast"),
          "sql", List.of("sqlite", "postgresql", "mariadb"),
          "sqlite", List.of("sqlite"),
          "postgresql", List.of("postgresql"),
          "mariadb", List.of("mariadb"));

  static boolean asksForHelp(String[] arguments) {
    return arguments.length == 0
        || List.of(arguments).contains("--help")
        || List.of(arguments).contains("-h");
  }

  /**
   * Makes sense of arguments.
   *
   * @throws IllegalArgumentException if they make none
   */
  static Arguments parse(String[] arguments) {
    Iterator<String> words = List.of(arguments).iterator();
    String suite = words.next();
    List<String> suites = SUITES.get(suite);
    if (suites == null) {
      throw new IllegalArgumentException("no suite \"" + suite + "\"");
    }
    Plan plan = Plan.STANDARD;
    String length = "";
    Set<Scenario> only = EnumSet.noneOf(Scenario.class);
    while (words.hasNext()) {
      String word = words.next();
      switch (word) {
        case "--quick", "--full" -> {
          if (!length.isEmpty() && !length.equals(word)) {
            throw new IllegalArgumentException("either --quick or --full");
          }
          length = word;
          plan = word.equals("--full") ? Plan.FULL : Plan.QUICK;
        }
        case "--only" -> {
          if (!words.hasNext()) {
            throw new IllegalArgumentException("--only needs a scenario");
          }
          only.add(Scenario.of(words.next()));
        }
        default -> throw new IllegalArgumentException("no option \"" + word + "\"");
      }
    }
    return new Arguments(suites, only.isEmpty() ? plan : plan.only(only));
  }
}
