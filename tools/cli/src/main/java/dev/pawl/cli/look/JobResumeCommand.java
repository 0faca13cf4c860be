package dev.pawl.cli.look;

import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code pawl jobs resume}: lets a paused job go on. */
@Command(
    name = "resume",
    description = "Resume a job that was paused.",
    footer = {
      "",
      "It runs when a host comes with its next tick. Exit code 75 if it is not paused.",
      "",
      "Example:",
      "  pawl jobs resume sms-reminder"
    })
public final class JobResumeCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final DecisionOptions options = new DecisionOptions();

  @Override
  public void run() {
    options.decide(
        store,
        Screen.of(Objects.requireNonNull(spec)),
        (inspector, job, by, reason) -> inspector.resumeJob(job, by, reason),
        (inspector, job, control) -> "resumed " + job,
        (inspector, job, control) ->
            "job " + job + " is not paused; pawl jobs shows which ones are");
  }
}
