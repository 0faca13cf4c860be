package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code pawl hold}: a lock that is held until it is let go. */
class HoldProcessTest {

  @TempDir Path directory;
  private String store;
  private Pawl node;

  @BeforeEach
  void connect() {
    store = "sqlite:" + directory.resolve("locks.db");
    node = Pawl.connect(store);
  }

  @AfterEach
  void close() {
    node.close();
  }

  private List<LockInfo.Holder> holders() {
    return node.inspector().find("a").map(LockInfo::holders).orElse(List.of());
  }

  private PawlProcess hold(String... options) {
    String[] all = new String[options.length + 2];
    all[0] = "hold";
    all[1] = "a";
    System.arraycopy(options, 0, all, 2, options.length);
    return PawlProcess.start(store, all);
  }

  private long token(PawlProcess pawl) {
    pawl.awaitText("\n");
    return Long.parseLong(pawl.outSoFar().strip());
  }

  @Test
  void theTokenIsPrintedWhenItIsHeldAndTheEndOfTheInputLetsGo() throws IOException {
    try (PawlProcess pawl = hold()) {
      long token = token(pawl);
      assertThat(holders()).extracting(LockInfo.Holder::token).containsExactly(token);
      pawl.process().getOutputStream().close();
      assertThat(pawl.await()).isEqualTo(new Result(0, token + "\n", ""));
    }
    assertThat(holders()).isEmpty();
  }

  @Test
  void aLineLetsGo() {
    try (PawlProcess pawl = hold("--shared", "--lease", "30s", "-w", "1m")) {
      token(pawl);
      pawl.type("thank you\n");
      assertThat(pawl.await().code()).isZero();
    }
    assertThat(holders()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"TERM, 0", "INT, 130", "HUP, 129"})
  void aSignalLetsGo(String signal, int code) {
    try (PawlProcess pawl = hold()) {
      token(pawl);
      pawl.assumeHeeds(signal);
      pawl.signal(signal);
      assertThat(pawl.await().code()).isEqualTo(code);
    }
    assertThat(holders()).isEmpty();
  }

  @Test
  void inTheBackgroundOfAScriptItHoldsUntilItIsTerminated() {
    // The shell gives it /dev/null as its input, whose end nobody has meant.
    String script =
        """
        "$PAWL" hold a > token & hold=$!
        while [ ! -s token ]; do sleep 0.05; done
        "$PAWL" run a -n -q -- true; echo "another: $?"
        kill $hold; wait $hold; echo "hold: $?"
        "$PAWL" run a -n -q -- true; echo "another: $?"
        """;
    try (PawlProcess bash =
        PawlProcess.startBash(Map.of("PAWL_STORE", store), "cd '" + directory + "'\n" + script)) {
      assertThat(bash.await()).isEqualTo(new Result(0, "another: 75\nhold: 0\nanother: 0\n", ""));
    }
  }

  @Test
  void inTheBackgroundOfATerminalItHoldsUntilItIsInFront() {
    assumeTrue(PawlProcess.hasTerminal(), "there is no command script to make a terminal");
    String line =
        """
        set -m
        "$PAWL" hold a > token &
        while [ ! -s token ]; do sleep 0.05; done
        "$PAWL" run a -n -q -- true; echo "another: $?"
        fg; echo "hold: $?"
        """;
    try (PawlProcess shell =
        PawlProcess.startOnTerminal(
            Map.of("PAWL_STORE", store, "TERM", "xterm", "SHELL", "/bin/bash"),
            "cd '" + directory + "'\n" + line)) {
      shell.awaitText("another: 75");
      shell.type("\n");
      assertThat(shell.await().out())
          .containsPattern("holding a; kill \\d+ lets go")
          .contains("hold: 0");
    }
  }

  @Test
  void itWaitsItsTurn() throws Exception {
    try (PawlProcess pawl = hold("--json")) {
      pawl.awaitText("held");
      try (PawlProcess second = hold()) {
        Commands.await(() -> node.inspector().find("a").orElseThrow().waiters().size() == 1);
        assertThat(second.outSoFar()).isEmpty();
        pawl.process().getOutputStream().close();
        token(second);
        second.process().getOutputStream().close();
        assertThat(second.await().code()).isZero();
      }
      List<JsonObject> events =
          pawl.await().out().lines().map(l -> JsonParser.parseString(l).getAsJsonObject()).toList();
      assertThat(events).hasSize(2);
      assertThat(events.get(0).get("event").getAsString()).isEqualTo("held");
      assertThat(events.get(0).get("name").getAsString()).isEqualTo("a");
      assertThat(events.get(0).get("token").getAsLong()).isPositive();
      assertThat(events.get(0).get("leaseSeconds").getAsDouble()).isEqualTo(10.0);
      assertThat(events.get(1).get("event").getAsString()).isEqualTo("released");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-n", "--wait=100ms"})
  void whoIsBusySaysWithWhom(String option) throws Exception {
    try (var lease = node.lock("a").acquire();
        PawlProcess pawl = hold(option)) {
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(75);
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains("held by").matches("pawl: [^\n]+\n");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void aLossIsTold() {
    try (PawlProcess pawl = hold("--lease", "6s", "--json")) {
      pawl.awaitText("held");
      assertThat(node.inspector().forceRelease("a", holders().get(0).token(), "me", "test"))
          .isTrue();
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.out()).contains("{\"event\":\"lost\",\"reason\":");
      assertThat(result.err()).matches("pawl: [^\n]+\n");
    }
  }

  @Test
  void whoseReaderIsGoneHoldsNothing() {
    try (PawlProcess bash =
        PawlProcess.startBash(
            Map.of("PAWL_STORE", store),
            // The reader is gone before Java is started.
            "mkfifo '%1$s/in'; sleep 300 > '%1$s/in' & s=$!; ".formatted(directory)
                + "{ trap '' PIPE; while echo 2>/dev/null; do :; done; trap - PIPE;"
                + " \"$PAWL\" hold a < '%s/in'; } | true; echo ${PIPESTATUS[0]}; kill $s"
                    .formatted(directory))) {
      assertThat(bash.await().out()).isEqualTo("141\n");
    }
    assertThat(holders()).isEmpty();
  }
}
