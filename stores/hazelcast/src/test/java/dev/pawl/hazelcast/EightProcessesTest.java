package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.testservers.HazelcastCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes, not threads: they start at once, and count in a plain file. */
@Tag("safety")
class EightProcessesTest {

  private static final int PROCESSES = 8;
  private static final int TIMES = 25;

  @TempDir Path directory;

  @Test
  void noUpdateIsLost() throws Exception {
    Path file = Files.writeString(directory.resolve("count"), "0");
    try (HazelcastCluster cluster = HazelcastCluster.start(2, Clusters.withPawl())) {
      String url = cluster.url() + "?timeout=20s&connectTimeout=2m";
      List<Process> processes = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(LockedCounter.start(url, file, TIMES));
      }
      try {
        for (Process process : processes) {
          assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
          assertThat(process.exitValue()).isZero();
        }
      } finally {
        processes.forEach(Process::destroyForcibly);
      }
    }
    assertThat(Files.readString(file)).isEqualTo("" + PROCESSES * TIMES);
  }
}
