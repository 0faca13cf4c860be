package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a log shows of connections that break, in a process with a log of its own. */
class BrokenConnectionTest {

  @TempDir Path directory;

  @Test
  void eachIsOneLineInTheLogAndNoStackTrace() throws Exception {
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                "-cp",
                System.getProperty("java.class.path"),
                BrokenConnectionLog.class.getName(),
                Databases.postgres())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor()).as("%s", Files.readString(log)).isZero();
    List<String> lines = Files.readAllLines(log);
    assertThat(lines).contains("broken 5 times");
    assertThat(lines).filteredOn(line -> line.contains("a connection broke")).hasSize(5);
    assertThat(lines)
        .as("no line of a stack trace")
        .noneMatch(line -> line.matches("\\s+at .*|Caused by: .*|\\S*Exception: .*"));
  }
}
