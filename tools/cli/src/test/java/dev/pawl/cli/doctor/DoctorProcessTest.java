package dev.pawl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code pawl doctor} as a process. */
class DoctorProcessTest {

  @TempDir Path directory;

  @Test
  void aSqliteFileIsFitForLocks() {
    Result result = PawlProcess.run("sqlite:" + directory.resolve("locks.db"), "doctor");
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .contains("locks.db", "the first lock creates it", "round trip: ", "clock: ")
        .contains("Fit for locks")
        .doesNotContain("UNSAFE");
    assertThat(directory).isEmptyDirectory();
    Result locked = PawlProcess.run("sqlite:" + directory.resolve("locks.db"), "doctor", "--lock");
    assertThat(locked.code()).as(locked.out() + locked.err()).isZero();
    assertThat(locked.out()).contains("its token rose");
  }

  @Test
  void aReplicaIsReported() {
    try (RedisServer master = RedisServer.start();
        RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", "" + master.port())) {
      for (String option : new String[] {"--json", "--lock"}) {
        Result result = PawlCommand.run(replica.url() + "?timeout=30s", "doctor", option);
        assertThat(result.code()).as(result.out() + result.err()).isEqualTo(1);
        assertThat(result.out()).contains("replica");
      }
    }
  }

  @Test
  void locksInMemoryAreUnfitForSeveralProcesses() {
    Result result = PawlCommand.run("memory:", "doctor");
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(result.out()).contains("UNSAFE", "no other process", "Not fit for locks");
  }

  @Test
  void aRedisThatEvictsKeysIsUnsafeAndTheExitCodeSaysSo() {
    try (RedisServer redis =
        RedisServer.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
      Result result = PawlProcess.run(redis.url() + "?timeout=30s", "doctor");
      assertThat(result.code()).as(result.out() + result.err()).isEqualTo(1);
      assertThat(result.out())
          .containsPattern("UNSAFE .*allkeys-lru")
          .contains("why: ", "do:  ", "noeviction", "Not fit for locks: 1 unsafe");
      Result json = PawlCommand.run(redis.url() + "?timeout=30s", "doctor", "--json");
      assertThat(json.code()).isEqualTo(1);
      assertThat(json.out()).contains("\"unsafe\":1,", "{\"level\":\"unsafe\",\"what\":");
      Result quiet = PawlCommand.run(redis.url() + "?timeout=30s", "doctor", "--quiet");
      assertThat(quiet.out()).contains("UNSAFE").doesNotContain(" fine ", "Not fit");
    }
  }

  @Test
  void aStoreThatIsNotThereIs69WithoutItsPassword() {
    Result result = PawlProcess.run("redis://:geheim@127.0.0.1:1", "doctor");
    assertThat(result.code()).isEqualTo(69);
    assertThat(result.err()).contains("127.0.0.1:1").doesNotContain("geheim").matches("[^\n]+\n");
  }
}
