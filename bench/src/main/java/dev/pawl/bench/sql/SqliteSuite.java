package dev.pawl.bench.sql;

import dev.pawl.bench.contest.Aim;
import dev.pawl.bench.contest.Backend;
import dev.pawl.bench.contest.Metric;
import dev.pawl.bench.contest.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Locks in a SQLite file, with a write-ahead log that is not synchronised at each commit. */
public final class SqliteSuite extends SqlSuite {

  private static final double LEAST_PAIRS = 5_000;

  /** Found as a service. */
  public SqliteSuite() {
    super(Database.SQLITE);
  }

  @Override
  public Backend start() {
    try {
      Path directory = Files.createTempDirectory("pawl-bench-");
      String url = "jdbc:sqlite:" + directory.resolve("locks.db");
      Database.SQLITE.createTables(url);
      return new Backend(url, () -> 0, () -> delete(directory));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<Aim> aims() {
    List<Aim> aims = new ArrayList<>(super.aims());
    aims.add(Aim.atLeast(LEAST_PAIRS, Metric.PAIRS, Scenario.ONE_THREAD, "pawl"));
    return aims;
  }
}
