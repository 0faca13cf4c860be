package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.cli.shell.InstantConverter;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl jobs rerun}: lets one tick of a job run once more. */
@Command(
    name = "rerun",
    description = "Let one tick of a job run once more, though it is done.",
    footer = {
      "",
      "One host runs it, the next that comes with that tick, and no other tick runs for it. Nobody"
          + " comes any more with last night's: then run it yourself, by pawl run NAME --tick T."
          + " The permit is kept until a run uses it up, or --withdraw takes it back. It is written"
          + " to the journal. Exit code 75 if the tick is not done, or may run again already.",
      "",
      "Examples:",
      "  pawl jobs rerun nightly 2026-11-15T02:00:00Z --reason \"the disk was full\"",
      "  pawl run nightly --tick 2026-11-15T02:00:00Z -- ./nightly.sh"
    })
public final class JobRerunCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final DecisionOptions options = new DecisionOptions();

  @Option(names = "--withdraw", description = "Take back a permit that nobody has used.")
  private boolean withdraw;

  @Parameters(
      index = "1",
      paramLabel = "T",
      converter = InstantConverter.class,
      description = "The tick, as pawl show job:NAME tells it.")
  private @Nullable Instant tick;

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    Instant which = Objects.requireNonNull(tick);
    if (withdraw) {
      options.decide(
          store,
          screen,
          (inspector, job, by, reason) -> inspector.withdrawRerun(job, which, by, reason),
          (inspector, job, control) -> "tick " + which + " of " + job + " may not run again",
          (inspector, job, control) ->
              "tick "
                  + which
                  + " of job "
                  + job
                  + " has no permit to run again; nothing was withdrawn");
      return;
    }
    options.needReason();
    try {
      options.decide(
          store,
          screen,
          (inspector, job, by, reason) -> inspector.permitRerun(job, which, by, reason),
          (inspector, job, control) ->
              "tick %s of %s may run once more: when a host comes with it, or by pawl run %s --tick %s -- COMMAND%s"
                  .formatted(
                      which,
                      job,
                      job,
                      which,
                      control.pause().isPresent()
                          ? "; but the job is paused, and runs nothing until it is resumed"
                          : ""),
          (inspector, job, control) -> why(inspector, job, which, control));
    } catch (IllegalArgumentException e) {
      throw Refusal.usage(String.valueOf(e.getMessage()));
    }
  }

  private static String why(Inspector inspector, String job, Instant tick, JobControl control) {
    Optional<JobControl.Permit> permit = control.permit(tick);
    if (permit.isPresent()) {
      return "tick %s of job %s may run again already, by %s since %s: %s"
          .formatted(tick, job, permit.get().by(), permit.get().since(), permit.get().reason());
    }
    return "tick %s of job %s is not done%s; it needs no permit, and runs when a host comes with it"
        .formatted(
            tick,
            job,
            inspector
                .find(Job.PREFIX + job)
                .flatMap(LockWords::tick)
                .map(latest -> ", the latest that is done is " + latest)
                .orElse(", as far as the store remembers"));
  }
}
