package dev.pawl.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The alerts fire when they should, by Prometheus' own {@code promtool} where it is installed. */
class AlertsTest {

  private static Optional<Path> promtool() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(directory -> Path.of(directory, "promtool"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @ParameterizedTest
  @CsvSource({"check, alerts.yml", "test, alerts_test.yml"})
  void promtoolAgrees(String verb, String file) throws Exception {
    Optional<Path> promtool = promtool();
    assumeTrue(promtool.isPresent(), "there is no promtool on the PATH (Debian: prometheus)");
    Process process =
        new ProcessBuilder(promtool.get().toString(), verb, "rules", file)
            .directory(new File("../../docs/metrics"))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
  }
}
