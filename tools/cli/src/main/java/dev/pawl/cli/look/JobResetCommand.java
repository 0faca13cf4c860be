package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.InstantConverter;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.time.Duration;
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

/** {@code pawl jobs reset}: sets back a job whose last tick is done by mistake. */
@Command(
    name = "reset",
    description = "Set a job back, so that ticks that count as done are run again.",
    footer = {
      "",
      "For a tick that was done by mistake: a typo, or a host whose clock was wrong. Every tick"
          + " after --to is run again when a host comes with it. It is written to the journal."
          + " Nothing happens, with exit code 75, if the last tick has changed since you looked.",
      "",
      "Examples:",
      "  pawl jobs reset sms-reminder --reason \"clock of web-3 was wrong\"",
      "  pawl jobs reset sms-reminder --tick 2062-11-15T12:00:00Z --to 2026-11-15T12:00:00Z"
          + " --reason typo --yes"
    })
public final class JobResetCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();

  @Option(
      names = {"-t", "--tick"},
      paramLabel = "T",
      converter = InstantConverter.class,
      description = "The last tick that you saw; pawl jobs tells it. Needed with --yes.")
  private @Nullable Instant tick;

  @Option(
      names = "--to",
      paramLabel = "T",
      converter = InstantConverter.class,
      description = "The last tick that is done from now on; none by default.")
  private @Nullable Instant to;

  @Mixin private final Confirmation confirmation = new Confirmation();

  @Option(
      names = {"-q", "--quiet"},
      description = "Say nothing when it is done.")
  private boolean quiet;

  @Parameters(paramLabel = "NAME", description = "The name of the job.")
  private String name = "";

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    check();
    String job = name.startsWith(Job.PREFIX) ? name.substring(Job.PREFIX.length()) : name;
    try (StoreView view = StoreView.open(store)) {
      Inspector inspector = view.inspector();
      Instant latest = latest(inspector, job);
      Duration ahead = view.now().until(latest);
      confirmation.ask(
          screen,
          "ticks of %s until %s count as done%s; after this, %s"
              .formatted(
                  job,
                  latest,
                  ahead.isZero()
                      ? ""
                      : ", " + Durations.format(ahead) + " ahead of the store's clock",
                  to == null ? "none do" : "those until " + to + " do"),
          "Set it back?",
          "nothing was changed");
      String by = Confirmation.operator(System.getenv());
      if (!inspector.resetJob(job, latest, Optional.ofNullable(to), by, confirmation.reason())) {
        throw changed(job, latest(inspector, job));
      }
      if (!quiet) {
        screen.print("set back " + job + " from " + latest);
      }
    }
  }

  private void check() {
    confirmation.check("sets it back");
    if (confirmation.isYes() && tick == null) {
      throw Refusal.usage("--yes needs --tick, the last tick that you saw; pawl jobs tells it");
    }
    if (tick != null && to != null && !to.isBefore(tick)) {
      throw Refusal.usage("--to is " + to + ", which is not before " + tick);
    }
  }

  /** Returns the last tick that is done, which must be the one that was seen, if one was. */
  private Instant latest(Inspector inspector, String job) {
    Instant latest =
        inspector
            .find(Job.PREFIX + job)
            .flatMap(LockWords::tick)
            .orElseThrow(
                () ->
                    new Refusal(
                        ExitCode.BUSY, "no tick of job " + job + " is done; nothing was changed"));
    if (tick != null && !tick.equals(latest)) {
      throw changed(job, latest);
    }
    if (to != null && !to.isBefore(latest)) {
      throw Refusal.usage("--to is " + to + ", which is not before the last tick, " + latest);
    }
    return latest;
  }

  private Refusal changed(String job, Instant latest) {
    return new Refusal(
        ExitCode.BUSY,
        "the last tick of job %s is %s by now; nothing was changed".formatted(job, latest));
  }
}
