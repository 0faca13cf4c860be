package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pawl.cli.PawlProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script says when it cannot build or start the command: one line, with what to do. */
class ScriptProcessTest {

  private static final String NOBODY = "setpriv --reuid=4242 --regid=4242 --clear-groups ";

  @TempDir Path directory;
  private Path checkout;

  @BeforeEach
  void copyTheScript() throws IOException {
    checkout = Files.createDirectories(directory.resolve("checkout"));
    Files.createDirectories(checkout.resolve("tools/cli/src/main"));
    PawlProcess.writeScript(checkout.resolve("pawl"), Files.readString(PawlProcess.script()));
  }

  @Test
  void aFirstCallWithoutMavenNamesIt() throws IOException {
    Path tools = Files.createDirectories(directory.resolve("bin"));
    for (String tool : List.of("bash", "find", "mkdir", "flock", "touch", "rm", "awk")) {
      assertThat(bash(Map.of(), "ln -s $(type -P " + tool + ") " + tools).code()).isZero();
    }
    refused(bash(Map.of("PATH", tools.toString()), "exec ./pawl ls"), "needs Maven", "no mvn");
  }

  @Test
  void aJavaHomeWithoutAJavaIsNamed() {
    refused(bash(Map.of("JAVA_HOME", "/no/such/jdk"), "exec ./pawl ls"), "JAVA_HOME, /no/such/jdk");
  }

  @Test
  void aJavaThatIsTooOldIsNamed() throws IOException {
    built();
    Path bin = Files.createDirectories(directory.resolve("jdk/bin"));
    Path java = bin.resolve("java");
    PawlProcess.writeScript(java, "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n");
    refused(
        bash(Map.of("JAVA_HOME", bin.getParent().toString()), "exec ./pawl ls"),
        java + " is Java 11; Java 17 or later is needed");
  }

  @Test
  void oneWhoMayNotBuildUsesWhatIsThereOrIsToldSo() throws IOException {
    assumeThat(bash(Map.of(), NOBODY + "true").code()).as("root becomes another user").isZero();
    assertThat(bash(Map.of(), "chmod -R a+rX " + directory).code()).isZero();
    refused(bash(Map.of(), NOBODY + "./pawl ls"), "cannot be written to", "nothing is built");

    built();
    copyTheJars();
    assertThat(bash(Map.of(), "chmod -R a+rX .").code()).isZero();
    Result version = bash(Map.of(), NOBODY + "./pawl --version");
    assertThat(version.code()).as(version.err()).isZero();
    assertThat(version.out()).startsWith("pawl ");
    assertThat(version.err()).isEmpty();
  }

  @Test
  void whatTheGuidePacksRunsWhereThereIsNothingToBuild() throws IOException {
    built();
    copyTheJars();
    Path opt = directory.resolve("opt");
    for (String line : linesOfTheGuide("tar -czf pawl.tar.gz", "mkdir -p /opt/pawl")) {
      Result done = bash(Map.of(), line.replace("/opt/pawl", opt.toString()));
      assertThat(done.code()).as(line + ": " + done.err()).isZero();
    }
    Result version = bash(Map.of(), "ln -s %1$s/pawl link && ./link --version".formatted(opt));
    assertThat(version.code()).as(version.err()).isZero();
    assertThat(version.out()).startsWith("pawl ");
    assertThat(version.err()).contains("getting ready to start quickly").doesNotContain("building");
  }

  private static List<String> linesOfTheGuide(String... beginnings) throws IOException {
    Path guide = PawlProcess.script().resolveSibling("docs/guide/command.md");
    List<String> lines =
        Files.readAllLines(guide).stream()
            .filter(line -> Arrays.stream(beginnings).anyMatch(line::startsWith))
            .toList();
    assertThat(lines).hasSameSizeAs(beginnings);
    return lines;
  }

  private void copyTheJars() {
    Path target = PawlProcess.script().resolveSibling("tools/cli/target");
    String copy = "cp -r %1$s/lib %1$s/pawl-cli-*.jar tools/cli/target".formatted(target);
    assertThat(bash(Map.of(), copy).code()).isZero();
  }

  private void built() throws IOException {
    Files.createDirectories(checkout.resolve("tools/cli/target"));
    Files.createFile(checkout.resolve("tools/cli/target/built"));
  }

  private static void refused(Result result, String... clues) {
    assertThat(result.code()).as(result.err()).isEqualTo(69);
    assertThat(result.err()).contains(clues).matches("pawl: [^\n]+\n");
  }

  private Result bash(Map<String, String> environment, String line) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("PAWL_BUILD", "");
    try (PawlProcess bash = PawlProcess.startBash(all, "cd " + checkout + "; " + line)) {
      return bash.await();
    }
  }
}
