package dev.pawl.bench.sql;

import static dev.pawl.bench.contest.Scenario.HAND_OVER;
import static dev.pawl.bench.contest.Scenario.NEW_NAMES;
import static dev.pawl.bench.contest.Scenario.ONE_NAME;
import static dev.pawl.bench.contest.Scenario.ONE_THREAD;
import static dev.pawl.bench.contest.Scenario.OWN_NAMES;

import dev.pawl.bench.contest.Aim;
import dev.pawl.bench.contest.Entrant;
import dev.pawl.bench.contest.Scenario;
import dev.pawl.bench.contest.Suite;
import dev.pawl.bench.peer.PawlLocks;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Locks in one SQL database. */
abstract class SqlSuite implements Suite {

  private static final Set<Scenario> WAITING = EnumSet.range(ONE_THREAD, HAND_OVER);

  private final Database database;

  SqlSuite(Database database) {
    this.database = database;
  }

  @Override
  public final String name() {
    return database.name().toLowerCase(Locale.ROOT);
  }

  private boolean isServer() {
    return database != Database.SQLITE;
  }

  @Override
  public final List<Entrant> entrants() {
    String pool = isServer() ? "a pool of 8" : "one connection";
    List<Entrant> entrants = new ArrayList<>();
    entrants.add(
        new Entrant(
            "raw-upsert",
            "raw upsert + update",
            "what a lease record needs, 10 s by the database's clock; "
                + pool
                + "; asks again at once",
            WAITING,
            LeaseRows::new));
    entrants.add(
        new Entrant(
            "raw-insert",
            "raw insert + delete",
            "no expiry; " + pool,
            Scenario.UNCONTENDED,
            UniqueKeys::new));
    if (isServer()) {
      entrants.add(
          new Entrant(
              "session-lock",
              database == Database.POSTGRESQL ? "advisory lock" : "`GET_LOCK`",
              pool + ", one connection for each who holds or waits",
              WAITING,
              SessionLocks::new));
    }
    entrants.add(pawl("lease-record", "Pawl"));
    entrants.add(pawl("unique-key", "Pawl, unique key"));
    if (isServer()) {
      entrants.add(pawl("row-lock", "Pawl, row lock"));
    }
    entrants.add(
        new Entrant(
            "shedlock",
            "ShedLock",
            "`JdbcTemplateLockProvider` of 7.10.1, 10 s"
                + (isServer() ? " by the database's clock; " : "; ")
                + pool
                + "; never waits",
            Scenario.UNCONTENDED,
            SpringJdbcLocks::shedLock));
    entrants.add(
        new Entrant(
            "spring",
            "Spring Integration",
            "`JdbcLockRegistry` of 7.0.5, 10 s; " + pool + "; asks every 100 ms",
            WAITING,
            SpringJdbcLocks::springIntegration));
    return entrants;
  }

  private Entrant pawl(String strategy, String label) {
    String terms =
        "`"
            + strategy
            + "`, defaults: lease of 10 s, "
            + (isServer() ? "a pool of 8" : "one connection")
            + (strategy.equals("row-lock") ? " and one connection for each lock held" : "");
    return new Entrant(
        strategy.equals("lease-record") ? "pawl" : "pawl-" + strategy,
        label,
        terms,
        WAITING,
        url ->
            new PawlLocks(
                url
                    + (url.contains("?") ? "&" : "?")
                    + "pawl.strategy="
                    + strategy
                    + "&pawl.prefix="
                    + strategy.replace('-', '_')
                    + "_"));
  }

  @Override
  public final List<String> yardsticks() {
    return isServer()
        ? List.of("raw-upsert", "session-lock", "shedlock", "spring")
        : List.of("raw-upsert", "shedlock", "spring");
  }

  @Override
  public List<Aim> aims() {
    List<Aim> aims = new ArrayList<>();
    for (Scenario scenario : List.of(ONE_THREAD, NEW_NAMES, OWN_NAMES)) {
      aims.add(Aim.atLeast(0.9, "raw-upsert", scenario, "pawl"));
    }
    aims.add(Aim.atLeast(20, "spring", ONE_NAME, "pawl"));
    return aims;
  }
}
