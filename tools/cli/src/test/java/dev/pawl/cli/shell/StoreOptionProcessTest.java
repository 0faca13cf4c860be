package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the store is: options, variables, files, profiles, and the file of whoever names none. */
class StoreOptionProcessTest {

  private static final String SECRET = "s3cr3t";

  /** A number that is in no passwd, as a container may be given. */
  private static final String NOBODY =
      "setpriv --reuid=54321 --regid=54321 --clear-groups env -u HOME ";

  @TempDir private Path directory;

  @BeforeEach
  void openDirectory() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  private Result bash(Map<String, String> environment, String line) {
    Map<String, String> all = new HashMap<>();
    all.put("HOME", directory.resolve("home").toString());
    all.put("XDG_DATA_HOME", "");
    all.put("XDG_CONFIG_HOME", "");
    all.put("DIRECTORY", directory.toString());
    all.putAll(environment);
    try (PawlProcess bash = PawlProcess.startBash(all, "cd \"$DIRECTORY\"; " + line)) {
      return bash.await();
    }
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private void profiles(String... lines) throws IOException {
    Path file = directory.resolve("home/.config/pawl/profiles");
    Files.createDirectories(file.getParent());
    Files.write(file, List.of(lines));
  }

  @Test
  void theOwnFileIsForNobodyElse() throws IOException {
    Result result = bash(Map.of(), "umask 0; \"$PAWL\" run x -- true");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains("no store is named", "home/.local/share/pawl/locks.db");
    Path file = directory.resolve("home/.local/share/pawl/locks.db");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
    assertThat(bash(Map.of(), "\"$PAWL\" ls --all -q")).isEqualTo(new Result(0, "x\n", ""));
  }

  @Test
  void aUserWithoutAHomeIsToldSo() throws IOException {
    assumeTrue(
        bash(Map.of(), NOBODY + "true").code() == 0, "only root can become a user without a name");
    for (String command : List.of("run x -- true", "ls", "doctor")) {
      Result result = bash(Map.of(), NOBODY + "\"$PAWL\" " + command);
      assertThat(result.code()).as(result.err()).isEqualTo(64);
      assertThat(result.err())
          .contains("no home directory", "--store", "HOME")
          .matches("pawl: [^\n]+\n");
    }
    assertThat(files()).isEmpty();
    Result named =
        bash(
            Map.of("XDG_DATA_HOME", directory.resolve("data").toString()),
            NOBODY + "\"$PAWL\" run x -- true");
    assertThat(named.code()).as(named.err()).isZero();
    assertThat(files()).containsExactly("data");
  }

  @Test
  void aUserWithoutANameIsANumberInTheJournal() {
    assumeTrue(
        bash(Map.of(), NOBODY + "true").code() == 0, "only root can become a user without a name");
    String store = "-s sqlite:" + directory.resolve("data.db");
    String nameless = "unset USER SUDO_USER; " + NOBODY;
    Result made = bash(Map.of(), nameless + "\"$PAWL\" run x " + store + " -- true");
    assertThat(made.code()).as(made.err()).isZero();
    Result pause = bash(Map.of(), nameless + "\"$PAWL\" jobs pause j -r why " + store);
    assertThat(pause.code()).as(pause.err()).isZero();
    assertThat(bash(Map.of(), "\"$PAWL\" journal " + store).out()).contains("by=54321@");
  }

  @Test
  void aHomeThatCannotBeWrittenToIsSaid() {
    assumeTrue(
        bash(Map.of(), NOBODY + "true").code() == 0, "only root can become a user without a name");
    Result result = bash(Map.of(), NOBODY + "HOME=/ \"$PAWL\" run x -- true");
    assertThat(result.code()).as(result.err()).isEqualTo(69);
    assertThat(result.err())
        .contains("/.local/share/pawl/locks.db", "permission denied", "--store")
        .matches("pawl: [^\n]+\n");
  }

  @Test
  void theUrlMayStandInAFileOrInAProfile() throws IOException {
    Files.writeString(directory.resolve("url"), "# the store\n\nsqlite:in-file.db\n");
    profiles("# stores", "default = sqlite:in-default.db", "other=sqlite:in-other.db");
    assertThat(bash(Map.of(), "\"$PAWL\" run x --store-file url -- true").code()).isZero();
    assertThat(bash(Map.of("PAWL_STORE_FILE", "url"), "\"$PAWL\" ls -aq").out()).isEqualTo("x\n");
    assertThat(bash(Map.of(), "\"$PAWL\" run y -- true").err()).isEmpty();
    assertThat(bash(Map.of(), "\"$PAWL\" ls --profile default -aq").out()).isEqualTo("y\n");
    assertThat(bash(Map.of("PAWL_PROFILE", "other"), "\"$PAWL\" run z -- true").code()).isZero();
    assertThat(bash(Map.of(), "\"$PAWL\" ls -s sqlite:in-other.db -aq").out()).isEqualTo("z\n");
    assertThat(files()).contains("in-file.db", "in-default.db", "in-other.db");
  }

  @Test
  void whatNamesNoStoreIsOneLine() throws IOException {
    profiles("good = sqlite:x.db", SECRET);
    Files.writeString(directory.resolve("empty"), "# nothing\n");
    Map<String, String> none = Map.of();
    refused(bash(none, "\"$PAWL\" ls"), "line 2", "NAME = URL");
    profiles("good = sqlite:x.db");
    refused(bash(none, "\"$PAWL\" ls --profile bad"), "no profile \"bad\"", "good");
    refused(bash(none, "\"$PAWL\" ls --store-file no-such"), "no-such", "no such file");
    refused(bash(none, "\"$PAWL\" ls --store-file empty"), "no URL");
    refused(bash(none, "\"$PAWL\" ls --profile good -s sqlite:x.db"), "exclude");
    refused(bash(Map.of("PAWL_STORE", "x:", "PAWL_PROFILE", "good"), "\"$PAWL\" ls"), "keep one");
  }

  private static void refused(Result result, String... clues) {
    assertThat(result.code()).as(result.err()).isEqualTo(64);
    assertThat(result.err()).contains(clues).matches("pawl: [^\n]+\n").doesNotContain(SECRET);
  }

  @Test
  void aPawlInsideTheCommandUsesTheSameStore() throws IOException {
    Files.writeString(directory.resolve("url"), "sqlite:" + directory.resolve("in-file.db"));
    profiles("other = sqlite:" + directory.resolve("in-other.db"), "near = sqlite:near.db");
    Files.createDirectories(directory.resolve("elsewhere"));
    String inner = "-- sh -c 'cd elsewhere; \"$PAWL\" ls -q'";
    Files.writeString(directory.resolve("near"), "sqlite:near.db");
    for (String option :
        List.of(
            "",
            "-s sqlite:x.db",
            "--store-file url",
            "--store-file near",
            "--profile other",
            "--profile near")) {
      Result result = bash(Map.of(), "\"$PAWL\" run around " + option + " " + inner);
      assertThat(result.out()).as(option + result.err()).isEqualTo("around\n");
    }
  }

  @Test
  void aSecretIsNotHandedOnUnlessItIsAskedFor() throws Exception {
    try (var redis = dev.pawl.testservers.RedisServer.start("--requirepass", SECRET)) {
      String url = "redis://:" + SECRET + "@127.0.0.1:" + redis.port();
      Files.writeString(directory.resolve("url"), url);
      Map<String, String> given = Map.of("PAWL_STORE", url);

      Result hidden = bash(given, "\"$PAWL\" run x -- env");
      assertThat(hidden.code()).as(hidden.err()).isZero();
      assertThat(hidden.out()).contains("PAWL_NAME=x").doesNotContain(SECRET);

      Result inside = bash(given, "\"$PAWL\" run x -- \"$PAWL\" ls");
      assertThat(inside.code()).isEqualTo(64);
      assertThat(inside.err()).contains("not handed on", "--store-file").doesNotContain(SECRET);

      Result asked = bash(given, "\"$PAWL\" run x --pass-store -- \"$PAWL\" ls -q");
      assertThat(asked.out()).as(asked.err()).isEqualTo("x\n");

      Result file = bash(Map.of(), "\"$PAWL\" run x --store-file url -- \"$PAWL\" ls -q");
      assertThat(file.out()).as(file.err()).isEqualTo("x\n");
      assertThat(bash(Map.of(), "\"$PAWL\" run x --store-file url -- env").out())
          .doesNotContain(SECRET);
    }
  }
}
