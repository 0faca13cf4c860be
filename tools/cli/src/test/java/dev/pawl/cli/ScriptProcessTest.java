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
    Files.createFile(checkout.resolve("tools/cli/target/pawl-cli-1.jar"));
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
    copyTheJars(".");
    assertThat(bash(Map.of(), "chmod -R a+rX .").code()).isZero();
    Result version = bash(Map.of(), NOBODY + "./pawl --version");
    assertThat(version.code()).as(version.err()).isZero();
    assertThat(version.out()).startsWith("pawl ");
    assertThat(version.err()).isEmpty();
  }

  @Test
  void whatTheGuidePacksRunsWhereThereIsNothingToBuild() throws IOException {
    built();
    copyTheJars("builds/1");
    Path builds = checkout.resolve("tools/cli/target/builds");
    Files.createSymbolicLink(builds.resolve("current"), Path.of("1"));
    for (String ofThisHost : List.of("java", "native")) {
      Files.createFile(Files.createDirectories(builds.resolve("1/" + ofThisHost)).resolve("here"));
    }
    Path opt = directory.resolve("opt");
    for (String line : linesOfTheGuide("tar -czhf pawl.tar.gz", "mkdir -p /opt/pawl")) {
      Result done = bash(Map.of(), line.replace("/opt/pawl", opt.toString()));
      assertThat(done.code()).as(line + ": " + done.err()).isZero();
    }
    Path there = opt.resolve("tools/cli/target/builds/current");
    assertThat(there.resolve("lib")).isDirectory();
    assertThat(there.resolve("java")).doesNotExist();
    assertThat(there.resolve("native")).doesNotExist();
    Result version = bash(Map.of(), "ln -s %1$s/pawl link && ./link --version".formatted(opt));
    assertThat(version.code()).as(version.err()).isZero();
    assertThat(version.out()).startsWith("pawl ");
    assertThat(version.err()).contains("getting ready to start quickly").doesNotContain("building");
  }

  /** As after a {@code git pull}, while the runs of the night wait for each other. */
  @Test
  void aBuildDisturbsNobodyWhoRunsTheLastOne() throws IOException {
    Map<String, String> tools = toolsThatPretend();
    Result first = bash(tools, "exec ./pawl ls");
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(first.err()).contains("pawl: building", "  Pawl: a module");
    Path running = Path.of(first.out().strip());
    assertThat(running).isRegularFile();

    Path pipe = directory.resolve("pipe");
    assertThat(bash(Map.of(), "mkfifo " + pipe).code()).isZero();
    Files.delete(directory.resolve("go on"));
    try (PawlProcess waiting = start(tools, "exec ./pawl wait " + pipe)) {
      waiting.awaitText(running.toString());
      Files.createFile(checkout.resolve("tools/cli/src/main/New.java"));
      try (PawlProcess building = start(tools, "exec ./pawl ls")) {
        building.awaitText("Pawl: a module");
        assertThat(bash(with(tools, "PAWL_BUILD", "never"), "exec ./pawl ls").out().strip())
            .as("what those run who do not build")
            .isEqualTo(running.toString());
        try (PawlProcess second = start(tools, "exec ./pawl ls")) {
          second.awaitText("another call is building");
          Files.createFile(directory.resolve("go on"));
          String built = building.await().out().strip();
          assertThat(built).isNotEqualTo(running.toString());
          assertThat(second.await().out().strip()).isEqualTo(built);
        }
      }
      assertThat(running).as("it runs").isRegularFile();
      assertThat(bash(Map.of(), "echo > " + pipe).code()).isZero();
      assertThat(waiting.await().code()).isZero();
    }
  }

  @Test
  void aBuildThatFailsLeavesTheLastOne() throws IOException {
    Map<String, String> tools = toolsThatPretend();
    String jar = bash(tools, "exec ./pawl ls").out().strip();
    Files.createFile(checkout.resolve("tools/cli/src/main/Changed.java"));
    Files.createFile(directory.resolve("fail"));
    Result failed = bash(tools, "exec ./pawl ls");
    assertThat(failed.code()).isEqualTo(69);
    assertThat(failed.err()).contains("[ERROR] it does not compile", "pawl: the build failed");
    assertThat(bash(with(tools, "PAWL_BUILD", "never"), "exec ./pawl ls").out().strip())
        .isEqualTo(jar);
  }

  @Test
  void aWorkingDirectoryThatIsGoneIsNamed() {
    Result gone = bash(Map.of(), "mkdir gone; cd gone; rmdir ../gone; exec $OLDPWD/pawl ls");
    assertThat(gone.code()).as(gone.err()).isEqualTo(71);
    assertThat(gone.err()).contains("pawl: the working directory is not there any more");
  }

  /**
   * A Maven that builds when it is told to, and a Java that prints which jar it runs; {@code wait}
   * waits for a line of a pipe.
   */
  private Map<String, String> toolsThatPretend() throws IOException {
    Path bin = Files.createDirectories(directory.resolve("jdk/bin"));
    PawlProcess.writeScript(
        bin.resolve("mvn"),
        """
        #!/bin/bash
        echo "[INFO] Building Pawl: a module"
        [[ ! -e '%1$s/fail' ]] || { echo "[ERROR] it does not compile"; exit 1; }
        while [[ ! -e '%1$s/go on' ]]; do sleep 0.05; done
        for argument; do app=${argument#-Dpawl.app=}; [[ $app == "$argument" ]] || break; done
        mkdir "$app/lib" && touch "$app/pawl-cli-1.jar" "$app/lib/pawl-core-1.jar"
        """
            .formatted(directory));
    PawlProcess.writeScript(
        bin.resolve("java"),
        """
        #!/bin/bash
        [[ $1 != -version ]] || { echo 'openjdk version "17.0.1" 2021-10-19' >&2; exit; }
        while [[ $1 != -cp ]]; do shift || exit 1; done
        echo "${2%%:*}"
        [[ $4 != wait ]] || read -r line <"$5"
        """);
    Files.createFile(directory.resolve("go on"));
    return Map.of(
        "PATH", bin + ":" + System.getenv("PATH"), "JAVA_HOME", bin.getParent().toString());
  }

  private static Map<String, String> with(Map<String, String> all, String name, String value) {
    Map<String, String> more = new HashMap<>(all);
    more.put(name, value);
    return more;
  }

  private static List<String> linesOfTheGuide(String... beginnings) throws IOException {
    Path guide = PawlProcess.script().resolveSibling("docs/guide/command.md");
    List<String> lines =
        Files.readString(guide)
            .replace("\\\n  ", "")
            .lines()
            .filter(line -> Arrays.stream(beginnings).anyMatch(line::startsWith))
            .toList();
    assertThat(lines).hasSameSizeAs(beginnings);
    return lines;
  }

  private void copyTheJars(String where) {
    Path target = PawlProcess.script().resolveSibling("tools/cli/target");
    String copy = "mkdir -p %2$s && cp -r %1$s/lib %1$s/pawl-cli-*.jar %2$s";
    Result copied = bash(Map.of(), copy.formatted(target, "tools/cli/target/" + where));
    assertThat(copied.code()).as(copied.err()).isZero();
  }

  private void built() throws IOException {
    Files.createDirectories(checkout.resolve("tools/cli/target"));
    Files.createFile(checkout.resolve("tools/cli/target/built"));
  }

  private static void refused(Result result, String... clues) {
    assertThat(result.code()).as(result.err()).isEqualTo(69);
    assertThat(result.err()).contains(clues).matches("pawl: [^\n]+\n");
  }

  private PawlProcess start(Map<String, String> environment, String line) {
    Map<String, String> all = new HashMap<>(environment);
    all.putIfAbsent("PAWL_BUILD", "");
    return PawlProcess.startBash(all, "cd " + checkout + "; " + line);
  }

  private Result bash(Map<String, String> environment, String line) {
    try (PawlProcess bash = start(environment, line)) {
      return bash.await();
    }
  }
}
