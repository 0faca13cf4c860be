package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What needs a terminal: the live screen, and the question before a release. */
class TerminalProcessTest {

  private static final String ENTER = "\u001b[?1049h";
  private static final String LEAVE = "\u001b[?1049l";
  private static final String ESCAPES = "\u001b\\[[0-9?;]*[A-Za-z]";

  @TempDir private Path directory;
  private String store = "";
  private Pawl holder;
  private Lease lease;
  private final List<Lease> others = new ArrayList<>();

  @BeforeEach
  void hold() throws InterruptedException {
    assumeTrue(PawlProcess.hasTerminal(), "there is no command script to make a terminal");
    store = "sqlite:" + directory.resolve("locks.db");
    holder = Pawl.builder(store).label("holder").build();
    lease = holder.lock("invoice:42").acquire();
  }

  @AfterEach
  void close() {
    others.forEach(Lease::close);
    if (holder != null) {
      holder.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"q", "\u0003"})
  void topLeavesTheTerminalAsItWas(String key) {
    try (PawlProcess shell =
        onTerminal("trap : INT; stty -g; \"$PAWL\" top; echo \"code $?\"; stty -g")) {
      shell.awaitText("invoice:42");
      shell.assumeHeeds("INT");
      shell.type(key);
      String out = shell.await().out();
      assertThat(out).contains(ENTER, LEAVE, "holder", key.equals("q") ? "code 0" : "code 130");
      List<String> lines = out.lines().toList();
      assertThat(lines.get(lines.size() - 1)).as("stty -g").isEqualTo(lines.get(0));
    }
  }

  @Test
  void onADumbTerminalThereAreOnlyLines() {
    try (PawlProcess shell = onTerminal("TERM=dumb \"$PAWL\" top")) {
      PawlProcess.Result once = shell.await();
      assertThat(once.code()).isZero();
      assertThat(once.out()).contains("invoice:42").doesNotContain("\u001b");
    }
    try (PawlProcess shell = onTerminal("TERM=dumb \"$PAWL\" ls --watch=100ms | head -4")) {
      assertThat(shell.await().out()).contains("invoice:42").doesNotContain("\u001b");
    }
  }

  @Test
  void topLeavesTheTerminalAsItWasWhenItIsTerminated() {
    try (PawlProcess shell =
        onTerminal(
            "stty -g; \"$PAWL\" top & pid=$!; read -r line; kill $pid; wait $pid; stty -g")) {
      shell.awaitText("invoice:42");
      shell.type("go\n");
      String out = shell.await().out();
      List<String> lines = out.lines().toList();
      assertThat(out).contains(LEAVE);
      assertThat(lines.get(lines.size() - 1)).as("stty -g").endsWith(lines.get(0));
    }
  }

  @Test
  void topEndsAlsoWhereTheTerminalTakesNothingAnyMore() throws Exception {
    try (PawlProcess shell =
        onTerminal("stty ixon; \"$PAWL\" top -i 100ms & echo \"pid $!.\"; wait")) {
      shell.awaitText("invoice:42");
      long pid = Long.parseLong(shell.outSoFar().replaceAll("(?s).*?pid (\\d+)\\..*", "$1"));
      shell.type("\u0013"); // Ctrl-S
      awaitQuiet(shell);
      PawlProcess.signal(pid, "TERM");
      ProcessHandle.of(pid)
          .ifPresent(process -> process.onExit().orTimeout(1, TimeUnit.MINUTES).join());
    }
  }

  /** Waits until nothing was printed for ten refreshes. */
  private static void awaitQuiet(PawlProcess shell) {
    String before = "";
    while (!shell.outSoFar().equals(before)) {
      before = shell.outSoFar();
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }
  }

  @Test
  void topFitsTheWindowAlsoAfterItsSizeHasChanged() throws Exception {
    List<Lease> held = new ArrayList<>(); // A lease whose handle is gone ends.
    for (int i = 100; i < 130; i++) {
      held.add(holder.lock("another name " + i).acquire());
    }
    try (PawlProcess shell =
        onTerminal("echo \"at $(tty).\"; stty rows 12 cols 60; \"$PAWL\" top -i 100ms")) {
      shell.awaitText("… and ");
      awaitFrame(shell, 12, 60);
      String tty = shell.outSoFar().replaceAll("(?s).*?at (/dev/[^.]+)\\..*", "$1");
      resize(tty, 8, 30);
      awaitFrame(shell, 8, 30);
      shell.type("q");
      assertThat(shell.await().code()).isZero();
    }
    held.forEach(Lease::close);
  }

  @Test
  void aReleaseIsAskedFor() {
    String release = "\"$PAWL\" release invoice:42 -t %d -r gone".formatted(lease.token());
    try (PawlProcess shell = onTerminal(release)) {
      shell.awaitText("Release it? [y/N]");
      shell.type("\n");
      PawlProcess.Result no = shell.await();
      assertThat(no.code()).isEqualTo(1);
      assertThat(no.out()).contains("holder holds invoice:42 for", "nothing was released");
    }
    assertThat(holder.inspector().find("invoice:42").orElseThrow().holders()).hasSize(1);
    try (PawlProcess shell = onTerminal(release)) {
      shell.awaitText("Release it? [y/N]");
      shell.type("y\n");
      PawlProcess.Result yes = shell.await();
      assertThat(yes.code()).as(yes.out()).isZero();
      assertThat(yes.out()).contains("released invoice:42 from holder");
    }
  }

  @Test
  void noColourIsHonoured() {
    try (PawlProcess coloured = onTerminal("\"$PAWL\" ls");
        PawlProcess plain = onTerminal("NO_COLOR=1 \"$PAWL\" ls")) {
      assertThat(coloured.await().out()).contains("\u001b[1mNAME");
      assertThat(plain.await().out()).contains("NAME").doesNotContain("\u001b");
    }
  }

  private PawlProcess onTerminal(String line) {
    return PawlProcess.startOnTerminal(
        Map.of("PAWL_STORE", store, "TERM", "xterm", "NO_COLOR", "", "SHELL", "/bin/bash"), line);
  }

  /** Returns the lines of the latest whole refresh. */
  private static List<String> frames(PawlProcess shell) {
    String[] all = shell.outSoFar().split("\u001b\\[H", -1);
    for (int i = all.length - 1; i > 0; i--) {
      if (all[i].contains("\u001b[J")) {
        return all[i].replaceAll(ESCAPES, "").lines().toList();
      }
    }
    return List.of();
  }

  /** Waits for a frame that fits; the command that resizes does so for one after the other. */
  private static void awaitFrame(PawlProcess shell, int rows, int columns) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    List<String> lines = frames(shell);
    while (lines.size() < 4
        || lines.size() > rows
        || lines.stream().anyMatch(line -> line.length() > columns)) {
      assertThat(System.nanoTime()).as("%s fit %d x %d", lines, rows, columns).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      lines = frames(shell);
    }
  }

  private static void resize(String tty, int rows, int columns)
      throws IOException, InterruptedException {
    assertThat(
            new ProcessBuilder("stty", "-F", tty, "rows", "" + rows, "cols", "" + columns)
                .inheritIO()
                .start()
                .waitFor())
        .isZero();
  }
}
