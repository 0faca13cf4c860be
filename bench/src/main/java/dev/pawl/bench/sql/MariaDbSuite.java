package dev.pawl.bench.sql;

import dev.pawl.bench.contest.Aim;
import dev.pawl.bench.contest.Backend;
import dev.pawl.bench.contest.Metric;
import dev.pawl.bench.contest.Scenario;
import dev.pawl.testservers.MariaDbServer;
import java.util.ArrayList;
import java.util.List;

/** Locks in MariaDB, every commit on the disk. */
public final class MariaDbSuite extends SqlSuite {

  private static final double MOST_HAND_OVER_MICROS = 10_000;

  /** Found as a service. */
  public MariaDbSuite() {
    super(Database.MARIADB);
  }

  @Override
  public Backend start() {
    MariaDbServer server = MariaDbServer.start();
    Database.MARIADB.createTables(server.url());
    return new Backend(server.url(), () -> 0, server::close);
  }

  @Override
  public List<Aim> aims() {
    List<Aim> aims = new ArrayList<>(super.aims());
    aims.add(Aim.atMost(MOST_HAND_OVER_MICROS, Metric.HAND_OVER, Scenario.HAND_OVER, "pawl"));
    return aims;
  }
}
