package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong: one clear line, the right exit code, and no secret. */
class LookFailureProcessTest {

  private static final String SECRET = "s3cr3t";

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "redis://:s3cr3t@127.0.0.1:1, 69, 127.0.0.1:1",
    "jdbc:postgresql://127.0.0.1:1/x?user=u&password=s3cr3t, 69, 127.0.0.1:1",
    "jdbc:mysql://u:s3cr3t@127.0.0.1:1/x, 64, mysql-connector-j",
    "nonsense://u:s3cr3t@host, 64, nonsense",
    "sqlite:, 64, SQLite",
  })
  void aStoreThatCannotBeOpenedIsOneLine(String store, int code, String clue) {
    Result result = PawlProcess.run(store, "ls");
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    assertThat(result.out()).isEmpty();
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.err()).startsWith("pawl: ").contains(clue).doesNotContain(SECRET);
  }

  @Test
  void aWrongPasswordIsSaidAndNotShown() {
    try (RedisServer server = RedisServer.start("--requirepass", "right")) {
      String store = "redis://:" + SECRET + "@127.0.0.1:" + server.port();
      Result result = PawlProcess.run(store, "ls");
      assertThat(result.code()).as(result.err()).isEqualTo(69);
      assertThat(result.err().lines()).hasSize(1);
      assertThat(result.err()).doesNotContain(SECRET);
    }
  }

  @Test
  void debugShowsWhereWithoutSecrets() {
    Result result = PawlProcess.run("redis://:" + SECRET + "@127.0.0.1:1", "ls", "--debug");
    assertThat(result.code()).isEqualTo(69);
    assertThat(result.err())
        .contains("StoreUnavailableException", "\tat dev.pawl.")
        .doesNotContain(SECRET);
  }

  @Test
  void aStoreThatCannotListSaysSo() {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      String store =
          "redlock://127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d"
              .formatted(a.port(), b.port(), c.port());
      Result result = PawlProcess.run(store, "ls");
      assertThat(result.code()).as(result.err()).isEqualTo(64);
      assertThat(result.err().lines()).hasSize(1);
      assertThat(result.err()).contains("redlock");
    }
  }

  @Test
  void namesThatNoStoreKeepsAreRefused() {
    String store = "sqlite:" + directory.resolve("locks.db");
    for (String name : new String[] {"a\nb", "a\tb", "\u001b[31m", "x".repeat(300), "", " "}) {
      Result result = PawlCommand.run(store, "show", "--", name);
      assertThat(result.code()).as(result.err()).isEqualTo(64);
      assertThat(result.err().lines()).hasSize(1);
      assertThat(result.err()).contains("name").doesNotContain("\u001b").doesNotContain("\t");
    }
    Result option = PawlProcess.run(store, "show", "-x");
    assertThat(option.code()).isEqualTo(64);
    assertThat(option.err()).contains("a name that begins with - is written after --");
  }

  @ParameterizedTest
  @CsvSource({
    "ls --limit 0, --limit",
    "ls --json --quiet, exclude",
    "ls a b, unmatched",
    "show, NAME",
    "wait -w soon x, no duration",
    "top --interval 1ms, --interval",
    "release x, --token",
    "lss, did you mean ls",
  })
  void wrongArgumentsAreOneLine(String arguments, String clue) {
    Result result =
        PawlCommand.run("sqlite:" + directory.resolve("locks.db"), arguments.split(" "));
    assertThat(result.code()).as(result.err()).isEqualTo(64);
    assertThat(result.out()).isEmpty();
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.err()).contains(clue);
  }

  @Test
  void aClosedPipeEndsItQuietly() throws InterruptedException {
    String store = "sqlite:" + directory.resolve("locks.db");
    try (Pawl node = Pawl.connect(store);
        Lease held = node.lock("name").acquire()) {
      held.ensureHeld();
      // The reader is gone before Java is started.
      String line =
          """
          { trap '' PIPE; while echo 2>/dev/null; do :; done; trap - PIPE; "$PAWL" ls -q; } | true
          echo ${PIPESTATUS[0]}
          """;
      try (PawlProcess bash = PawlProcess.startBash(Map.of("PAWL_STORE", store), line)) {
        assertThat(bash.await()).isEqualTo(new Result(0, "141\n", ""));
      }
    }
  }
}
