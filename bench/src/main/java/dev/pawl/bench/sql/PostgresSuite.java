package dev.pawl.bench.sql;

import static dev.pawl.bench.contest.Scenario.HAND_OVER;
import static dev.pawl.bench.contest.Scenario.ONE_THREAD;
import static dev.pawl.bench.contest.Scenario.OWN_NAMES;

import dev.pawl.bench.contest.Aim;
import dev.pawl.bench.contest.Backend;
import dev.pawl.bench.contest.Scenario;
import dev.pawl.testservers.PostgresServer;
import java.util.ArrayList;
import java.util.List;

/** Locks in PostgreSQL, every commit on the disk. */
public final class PostgresSuite extends SqlSuite {

  /** Found as a service. */
  public PostgresSuite() {
    super(Database.POSTGRESQL);
  }

  @Override
  public Backend start() {
    PostgresServer server = PostgresServer.start();
    Database.POSTGRESQL.createTables(server.url());
    return new Backend(server.url(), () -> 0, server::close);
  }

  @Override
  public List<Aim> aims() {
    List<Aim> aims = new ArrayList<>(super.aims());
    for (Scenario scenario : List.of(ONE_THREAD, OWN_NAMES)) {
      aims.add(Aim.atLeast(3, "shedlock", scenario, "pawl"));
      aims.add(Aim.atLeast(4, "spring", scenario, "pawl"));
    }
    aims.add(Aim.atMost(2.5, "session-lock", HAND_OVER, "pawl"));
    aims.add(Aim.atMost(0.03, "spring", HAND_OVER, "pawl"));
    return aims;
  }
}
