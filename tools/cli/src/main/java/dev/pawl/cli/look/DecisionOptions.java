package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.json.Json;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the commands have in common by which an operator decides about a job. */
final class DecisionOptions {

  @Option(
      names = {"-r", "--reason", "--why"},
      paramLabel = "TEXT",
      description = "Why, for those who wonder, and for the journal.")
  private String reason = "";

  @Option(
      names = {"-q", "--quiet"},
      description = "Say nothing when it is done.")
  private boolean quiet;

  @Option(
      names = "--json",
      description = "Print what is decided about the job now, as one JSON object.")
  private boolean json;

  @Parameters(index = "0", paramLabel = "NAME", description = "The name of the job.")
  private String name = "";

  /** Something that an operator decides; false if it is so already, or cannot be. */
  @FunctionalInterface
  interface Decision {
    boolean make(Inspector inspector, String job, String by, String reason);
  }

  /** What there is to say. */
  @FunctionalInterface
  interface Words {
    String of(Inspector inspector, String job, JobControl control);
  }

  void needReason() {
    if (reason.isBlank()) {
      throw Refusal.usage("--reason is missing; say why, for those who wonder that it does so");
    }
  }

  /** Makes a decision, and says that it is made, or why it is not. */
  void decide(StoreOption store, Screen screen, Decision decision, Words done, Words otherwise) {
    if (json && quiet) {
      throw Refusal.usage("--json and --quiet exclude each other");
    }
    String job = name.startsWith(Job.PREFIX) ? name.substring(Job.PREFIX.length()) : name;
    String why = reason.isBlank() ? "no reason given" : reason;
    try (StoreView view = StoreView.open(store)) {
      Inspector inspector = view.inspector();
      String by = Confirmation.operator(System.getenv());
      boolean made = decision.make(inspector, job, by, why);
      JobControl control = inspector.jobControl(job);
      if (!made) {
        throw new Refusal(ExitCode.BUSY, otherwise.of(inspector, job, control));
      }
      if (json) {
        screen.print(
            Json.of(
                Json.object(
                    "job",
                    job,
                    "paused",
                    control.pause().map(LockJson::of),
                    "reruns",
                    control.permits().stream().map(LockJson::of).toList())));
      } else if (!quiet) {
        screen.print(done.of(inspector, job, control));
      }
    }
  }

  /** Tells whether the store has ever heard of a job, as far as it remembers. */
  static boolean isKnown(Inspector inspector, String job) {
    return inspector.find(Job.PREFIX + job).isPresent() || !inspector.runs(job, 1).isEmpty();
  }
}
