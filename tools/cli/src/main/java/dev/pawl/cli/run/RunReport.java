package dev.pawl.cli.run;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Screen;
import dev.pawl.console.json.Json;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of a run, for programs. */
final class RunReport {

  private final String name;
  private final long begunNanos = System.nanoTime();
  private volatile Map<String, String> variables = Map.of();
  private volatile @Nullable Duration waited;
  private volatile @Nullable Duration ran;
  private volatile String outcome = "error";
  private volatile @Nullable String reason;

  RunReport(String name) {
    this.name = name;
  }

  /** Keeps what the command was started with. */
  void onStart(Map<String, String> given) {
    variables = given;
    waited = sinceBegin();
  }

  void onEnd(Ended ended) {
    if (waited != null) {
      ran = sinceBegin().minus(waited);
    }
    outcome =
        switch (ended.how()) {
          case RAN -> "ran";
          case LOST -> "lost";
          case NOT_STARTED -> "signalled";
        };
  }

  void onSkipped(String why) {
    outcome = "skipped";
    reason = why;
  }

  void onLost(String why) {
    outcome = "lost";
    reason = why;
  }

  void onSignalled() {
    outcome = "signalled";
  }

  void onError(String why) {
    outcome = "error";
    reason = why;
  }

  private Duration sinceBegin() {
    return Duration.ofNanos(System.nanoTime() - begunNanos);
  }

  /** Returns it as one line. */
  String json(int exitCode) {
    String token = variables.get("PAWL_TOKEN");
    return Json.of(
        Json.object(
            "name",
            name,
            "outcome",
            outcome,
            "exitCode",
            exitCode,
            "signal",
            signal(exitCode),
            "token",
            token == null ? null : Long.valueOf(token),
            "node",
            variables.get("PAWL_NODE"),
            "tick",
            variables.get("PAWL_TICK"),
            "waitedSeconds",
            waited == null ? sinceBegin() : waited,
            "ranSeconds",
            ran,
            "reason",
            reason == null ? null : Screen.withoutSecrets(reason)));
  }

  /** The number of the signal that ended the command, or the wait for it. */
  private @Nullable Integer signal(int exitCode) {
    boolean ended = outcome.equals("ran") || outcome.equals("signalled");
    return ended && exitCode > ExitCode.SIGNALLED ? exitCode - ExitCode.SIGNALLED : null;
  }
}
