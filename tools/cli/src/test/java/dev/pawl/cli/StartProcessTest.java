package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the start of a command costs, in classes: a time would tell of the machine. On a quiet one
 * {@code pawl ls} takes 0.3 s with these numbers.
 */
class StartProcessTest {

  /** Classes of ours and of libraries; 524 when this was written. */
  private static final int MOST_TO_LIST = 600;

  /** 570 when this was written. */
  private static final int MOST_TO_RUN = 660;

  /** 730 to 896 when this was written, by how much the server had begun when it was looked at. */
  private static final int MOST_TO_SERVE = 1_000;

  private static final Pattern OF_THE_JDK =
      Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*|.*\\$\\$Lambda.*");
  private static final Pattern OF_OTHER_STORES =
      Pattern.compile("(io\\.lettuce|io\\.netty|redis\\.clients)\\..*");

  @TempDir Path directory;
  private String store;

  @BeforeEach
  void makeStore() {
    store = "sqlite:" + directory.resolve("locks.db");
    assertThat(PawlProcess.run(store, "run", "a", "--", "true").code()).isZero();
  }

  @Test
  void whatIsNotNeededIsNotLoaded() throws Exception {
    assertThat(ofOurs(loaded("ls"))).hasSizeBetween(1, MOST_TO_LIST);
    assertThat(ofOurs(loaded("run", "a", "--", "true"))).hasSizeBetween(1, MOST_TO_RUN);
    assertThat(
            loaded("run", "a", "--", "true").stream()
                .map(Loaded::name)
                .filter(name -> OF_OTHER_STORES.matcher(name).matches()))
        .isEmpty();
  }

  @Test
  void theConsoleLoadsAServerAndNoOtherStore() throws Exception {
    Path log = directory.resolve("console");
    Map<String, String> logged = Map.of("PAWL_STORE", store, "_JAVA_OPTIONS", logTo(log));
    try (PawlProcess pawl = PawlProcess.start(logged, "console", "--port", "0")) {
      pawl.awaitText("http://127.0.0.1:");
      List<Loaded> loaded = read(log);
      assertThat(ofOurs(loaded)).hasSizeBetween(1, MOST_TO_SERVE);
      assertThat(loaded.stream().map(Loaded::name))
          .noneMatch(name -> OF_OTHER_STORES.matcher(name).matches());
    }
  }

  /** With the shell and the JVM in it; on a machine that does nothing else. */
  @Test
  @EnabledIfSystemProperty(
      named = "pawl.long",
      matches = "true",
      disabledReason = "milliseconds are measured with -Dpawl.long=true")
  void theConsoleListensWithinASecond() throws Exception {
    Measurement.whereNothingStalls(
        () -> {
          List<Long> millis = new ArrayList<>();
          for (int i = 0; i < 10; i++) {
            long start = System.nanoTime();
            try (PawlProcess pawl = PawlProcess.start(store, "console", "--port", "0")) {
              pawl.awaitText("http://127.0.0.1:");
              millis.add((System.nanoTime() - start) / 1_000_000);
            }
          }
          millis.sort(null);
          System.out.println("pawl console listened after, in ms: " + millis);
          assertThat(millis).allMatch(each -> each < 1_000);
        });
  }

  /** The script, in a checkout of its own, with the jars of this build. */
  @Test
  void theClassesComeOutOfAnArchive() throws Exception {
    Path root = Files.createDirectories(directory.resolve("checkout"));
    Path target = Files.createDirectories(root.resolve("tools/cli/target"));
    Path built = PawlProcess.script().resolveSibling("tools/cli/target");
    Files.copy(PawlProcess.script(), root.resolve("pawl"));
    Result copied =
        bash(Map.of(), "cp -r %1$s/lib %1$s/pawl-cli-*.jar %2$s".formatted(built, target));
    assertThat(copied.code()).as(copied.err()).isZero();
    Files.createFile(target.resolve("built"));
    String line = root.resolve("pawl") + " ls";
    // A directory for temporary files that is full, or not there, does not matter.
    Result first = bash(Map.of("PAWL_STORE", store, "PAWL_BUILD", "", "TMPDIR", "/no/such"), line);
    assertThat(first.code()).as(first.err()).isZero();
    assertThat(first.err()).contains("getting ready to start quickly");
    assertThat(Path.of("/locks.db")).doesNotExist();

    Path log = directory.resolve("archived");
    Map<String, String> logged =
        Map.of("PAWL_STORE", store, "PAWL_BUILD", "", "_JAVA_OPTIONS", logTo(log));
    Result second = bash(logged, line);
    assertThat(second.code()).as(second.err()).isZero();
    assertThat(second.err()).doesNotContain("getting ready");
    List<Loaded> all = read(log);
    List<Loaded> archived =
        all.stream().filter(one -> one.source().startsWith("shared objects file")).toList();
    assertThat(archived).hasSizeGreaterThan(all.size() * 9 / 10);
  }

  private record Loaded(String name, String source) {}

  private List<Loaded> loaded(String... arguments) throws IOException {
    Path log = directory.resolve(arguments[0]);
    Map<String, String> logged = Map.of("PAWL_STORE", store, "_JAVA_OPTIONS", logTo(log));
    try (PawlProcess pawl = PawlProcess.start(logged, arguments)) {
      Result result = pawl.await();
      assertThat(result.code()).as(result.err()).isZero();
    }
    return read(log);
  }

  private static List<Loaded> ofOurs(List<Loaded> all) {
    return all.stream().filter(one -> !OF_THE_JDK.matcher(one.name()).matches()).toList();
  }

  /** These options come after those of the script, which has the JVM log nothing. */
  private static String logTo(Path file) {
    return "-Xlog:class+load:file=" + file + "::filecount=0";
  }

  private static List<Loaded> read(Path log) throws IOException {
    Pattern line = Pattern.compile(".*\\] (\\S+) source: (.*)");
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .map(line::matcher)
          .filter(matcher -> matcher.matches())
          .map(matcher -> new Loaded(matcher.group(1), matcher.group(2)))
          .toList();
    }
  }

  private static Result bash(Map<String, String> environment, String line) {
    try (PawlProcess bash = PawlProcess.startBash(environment, line)) {
      return bash.await();
    }
  }
}
