package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testservers.ZooKeeperServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Eight processes and a counter in a plain file, which only the lock protects. */
@Isolated("eight processes of its own are load enough")
class EightProcessesTest {

  private static final int PROCESSES = 8;
  private static final int ROUNDS = 25;

  /** One of the processes: URL, file, rounds. */
  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[1]);
    // It keeps the lock on a machine that is too busy to renew it.
    LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMinutes(1));
    try (Pawl pawl =
        Pawl.builder(args[0]).defaults(options).responseTimeout(Duration.ofMinutes(1)).build()) {
      for (int i = 0; i < Integer.parseInt(args[2]); ) {
        try (Lease lease = pawl.lock("counter").acquire(Duration.ofMinutes(3))) {
          long count = Long.parseLong(Files.readString(file).strip());
          lease.ensureHeld();
          Files.writeString(file, "" + (count + 1));
          i++;
        } catch (LeaseLostException e) {
          // It stalled before its grant was confirmed, is told so in time, and asks again.
        }
      }
    }
  }

  @Test
  @Tag("safety")
  void noUpdateIsLost(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("counter"), "0");
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      List<Process> processes = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx64m",
                    "-cp",
                    System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path")),
                    EightProcessesTest.class.getName(),
                    "zk://" + server.address() + "?sessionTimeout=60s",
                    file.toString(),
                    "" + ROUNDS)
                .inheritIO()
                .start());
      }
      for (Process process : processes) {
        assertThat(process.waitFor()).isZero();
      }
      assertThat(Files.readString(file)).isEqualTo("" + PROCESSES * ROUNDS);
    }
  }
}
