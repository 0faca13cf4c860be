package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Fifty at once on one file: nobody takes the crowd for an outage. */
@Isolated("fifty processes are load enough")
class CrowdProcessTest {

  private static final int PROCESSES = 50;
  private static final int OK = 0;
  private static final int NOT_IN_TIME = 75;

  @TempDir Path directory;

  @Test
  void allWaitForTheirTurnOrAreTooLate() throws Exception {
    String store = "sqlite:" + directory.resolve("locks.db");
    Path runs = Files.createFile(directory.resolve("runs"));
    List<PawlProcess> all = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        all.add(
            PawlProcess.start(
                store, "run", "-w", "2m", "name", "--", "sh", "-c", "echo run >> " + runs));
      }
      int ok = 0;
      for (PawlProcess each : all) {
        Result result = each.await();
        assertThat(result.code()).as(result.err()).isIn(OK, NOT_IN_TIME);
        ok += result.code() == OK ? 1 : 0;
      }
      // Each ran once, or said that it did not; and they were not all too late.
      assertThat(Files.readAllLines(runs)).hasSize(ok);
      assertThat(ok).isPositive();
    } finally {
      all.forEach(PawlProcess::close);
    }
  }
}
