package dev.pawl.cli.look;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code pawl jobs pause}: keeps every host from running a job. */
@Command(
    name = "pause",
    description = "Pause a job: no host begins a run of it until it is resumed.",
    footer = {
      "",
      "It is kept in the store: every host obeys, and a restart changes nothing. A run that has"
          + " begun goes on. Ticks that fall into the pause are not made up for. It is written to"
          + " the journal. Exit code 75 if the job is paused already.",
      "",
      "Example:",
      "  pawl jobs pause sms-reminder --reason \"the provider is down\""
    })
public final class JobPauseCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final DecisionOptions options = new DecisionOptions();

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    options.needReason();
    options.decide(
        store,
        screen,
        (inspector, job, by, reason) -> {
          if (!DecisionOptions.isKnown(inspector, job)) {
            screen.remark("the store knows no run of job " + job + "; is the name right?");
          }
          return inspector.pauseJob(job, by, reason);
        },
        (inspector, job, control) -> {
          Optional<LockInfo.Holder> runner =
              inspector.find(Job.PREFIX + job).flatMap(lock -> lock.holders().stream().findFirst());
          return "paused "
              + job
              + runner.map(holder -> "; the run of " + holder.label() + " goes on").orElse("");
        },
        (inspector, job, control) ->
            "job %s is paused already%s"
                .formatted(
                    job,
                    control
                        .pause()
                        .map(
                            pause ->
                                ", by %s since %s: %s"
                                    .formatted(pause.by(), pause.since(), pause.reason()))
                        .orElse("")));
  }
}
