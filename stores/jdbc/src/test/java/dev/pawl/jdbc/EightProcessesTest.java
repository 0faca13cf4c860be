package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes, not threads, on an empty database: they start at once, count, and one is killed. */
@Isolated("eight processes of its own are load enough")
class EightProcessesTest {

  private static final int PROCESSES = 8;
  private static final int TIMES = 25;

  @TempDir Path directory;

  private String url(SqlDatabase database) {
    String prefix =
        "pawl.timeout=" + Databases.PATIENCE.toSeconds() + "s&pawl.prefix=" + Databases.prefix();
    return switch (database) {
      case SQLITE -> "sqlite:" + directory.resolve("locks.db") + "?" + prefix;
      case POSTGRESQL -> Databases.postgres() + "&" + prefix;
      case MARIADB -> Databases.mariaDb() + "&" + prefix;
      default -> throw new IllegalArgumentException();
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRESQL", "MARIADB"})
  void noUpdateIsLostAndAKilledHolderIsFollowedInTime(SqlDatabase database) throws Exception {
    String url = url(database);
    Path file = Files.writeString(directory.resolve("count"), "0");
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(LockedCounter.start(url, file, TIMES));
    }
    try {
      for (Process process : processes) {
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
    assertThat(Files.readString(file)).isEqualTo("" + PROCESSES * TIMES);

    Measurement.whereNothingStalls(() -> killAHolder(url, file));
  }

  private static void killAHolder(String url, Path file) throws Exception {
    Process holder = LockedCounter.start(url, file, 0);
    try (BufferedReader out = holder.inputReader(StandardCharsets.UTF_8);
        Pawl pawl = Pawl.builder(url).responseTimeout(Databases.PATIENCE).build()) {
      long token = Long.parseLong(out.readLine().substring("held ".length()));
      assertThat(pawl.lock("counter").tryAcquire()).isEmpty();
      long killed = System.nanoTime();
      holder.destroyForcibly().waitFor();
      try (Lease lease = pawl.lock("counter").acquire()) {
        Duration waited = Duration.ofNanos(System.nanoTime() - killed);
        assertThat(waited).as("the lease of 2 s and a second").isLessThan(Duration.ofSeconds(3));
        if (lease.token() <= token) { // No measurement: it is so on any machine.
          throw new IllegalStateException("token " + lease.token() + " after " + token);
        }
      }
    } finally {
      holder.destroyForcibly();
    }
  }
}
