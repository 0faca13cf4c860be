package dev.pawl.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example builds against the packaged jars, and sees what it should. */
class ExamplesProcessTest {

  private static final Path EXAMPLES = Path.of("").toAbsolutePath();

  @TempDir Path directory;

  static List<String> examples() throws IOException {
    try (Stream<Path> all = Files.list(EXAMPLES)) {
      return all.filter(each -> Files.exists(each.resolve("pom.xml")))
          .map(each -> each.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void itRunsAndEndsWithZero(String example) throws Exception {
    Path output = directory.resolve("output");
    Process run =
        new ProcessBuilder(EXAMPLES.resolve(example).resolve("run").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(run.waitFor(8, TimeUnit.MINUTES)).as(Files.readString(output)).isTrue();
      assertThat(run.exitValue()).as(Files.readString(output)).isZero();
      assertThat(Files.readString(output)).contains("ok: ");
    } finally {
      run.descendants().forEach(ProcessHandle::destroyForcibly);
      run.destroyForcibly();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void itHasAPageWithItsCommand(String example) throws IOException {
    assertThat(Files.readString(EXAMPLES.resolve(example).resolve("README.md")))
        .contains("examples/" + example + "/run");
  }

  @Test
  void thereAreSome() throws IOException {
    assertThat(examples())
        .contains("plain-java", "quartz", "shedlock", "spring-boot-fence", "spring-boot-scheduled");
  }
}
