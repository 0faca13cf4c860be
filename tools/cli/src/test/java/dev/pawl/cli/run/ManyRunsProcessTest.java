package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What hundreds of runs leave behind, each by a node that lives for a moment. The last of them are
 * processes; with {@code -Dpawl.long=true} all 230 are.
 */
class ManyRunsProcessTest {

  private static final boolean LONG = Boolean.getBoolean("pawl.long");

  /** Ticks of one job: more than its journal keeps. */
  private static final int TICKS = LONG ? 210 : 120;

  /** Those of them that nodes of this process run first. */
  private static final int TICKS_BEFORE = LONG ? 0 : 100;

  private static final int RUNS = TICKS + 20;
  private static final long FIRST_TICK = 1_794_744_000;
  private static final int SIDE_BY_SIDE = 4;

  /** The guide: the journal keeps the last 100 entries of a name. */
  private static final int JOURNAL = 100;

  /** The last few, whose retention is not over yet. */
  private static final int FEW = 5;

  @TempDir Path directory;

  @Test
  void noMoreIsLeftThanTheGuideSays() throws Exception {
    Path file = directory.resolve("locks.db");
    String store = "jdbc:sqlite:" + file + "?pawl.retention=1s";
    for (int i = 0; i < TICKS_BEFORE; i++) {
      try (Pawl node = Pawl.connect(store)) {
        assertThat(node.job("nightly").run(Instant.ofEpochSecond(FIRST_TICK + i), run -> {}))
            .isInstanceOf(Job.Outcome.Ran.class);
      }
    }
    var executor = Executors.newFixedThreadPool(SIDE_BY_SIDE);
    try {
      List<Future<Result>> results = new ArrayList<>();
      for (int i = TICKS_BEFORE; i < RUNS; i++) {
        long tick = FIRST_TICK + i;
        String[] line =
            i < TICKS
                ? new String[] {"run", "nightly", "--tick", "@" + tick, "--skip-ok", "--", "true"}
                : new String[] {"run", "name " + i, "--", "true"};
        results.add(executor.submit(() -> PawlProcess.run(store, line)));
      }
      for (Future<Result> result : results) {
        assertThat(result.get().code()).as(result.get().err()).isZero();
      }
    } finally {
      executor.shutdownNow();
    }
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      assertThat(count(connection, "pawl_journal")).isBetween(1, JOURNAL);
      // Whoever comes later clears away what was too young for those before.
      for (int i = RUNS; count(connection, "pawl_lock") > FEW; i++) {
        assertThat(i).as("names that stay behind").isLessThan(2 * RUNS);
        assertThat(PawlProcess.run(store, "run", "name " + i, "--", "true").code()).isZero();
      }
    }
  }

  private static int count(Connection connection, String table) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
      return row.getInt(1);
    }
  }
}
