package dev.pawl.cli.run;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.CommandWords;
import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Failures;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.text.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl run}: a command under a lock. */
@Command(
    name = "run",
    description = "Run a command under a lock: of all hosts, one at a time.",
    customSynopsis =
        "pawl run NAME [-n | -w TIME] [--shared | --limit N | --once-per TIME | --tick T]"
            + " [options] (-c TEXT | -- COMMAND [ARG…])",
    footer = {
      "",
      "The command gets PAWL_NAME, PAWL_TOKEN, PAWL_NODE and, of a job, PAWL_TICK. It is in a"
          + " process group of its own; TERM, INT and HUP are passed on to it. All of the group is"
          + " dead before the lease expires, also if pawl is killed.",
      "",
      "Exit codes: the command's own, 128 and the signal that ended it, or",
      "  64  wrong usage             75  busy, timed out, or the tick is done",
      "  69  store unavailable       76  the lease was lost, and the command was ended",
      "  126 cannot be executed      127 not found",
      "",
      "Examples:",
      "  pawl run nightly-backup -n -- /opt/backup.sh",
      "  pawl run sms-reminder --once-per 1m --skip-ok -- send-reminders",
      "  pawl run report --limit 3 -w 30s -- make-report --year 2026",
      "  pawl run import -c 'fetch | load'",
    })
public final class RunCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private StoreOption store = new StoreOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "What is locked.")
  private String name = "";

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "COMMAND",
      parameterConsumer = CommandWords.class,
      description = "What to run, and its arguments; no shell in between.")
  private List<String> command = List.of();

  @Option(
      names = {"-c", "--command"},
      paramLabel = "TEXT",
      description = "What to run, as text for sh -c: instead of COMMAND.")
  private @Nullable String shellText;

  @Mixin private AcquireOptions acquire = new AcquireOptions();

  @Option(
      names = "--once-per",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "Run once in each period, by the store's clock; stand by to take over if the host"
              + " that runs it dies.")
  private @Nullable Duration oncePer;

  @Option(
      names = "--tick",
      paramLabel = "T",
      converter = TickConverter.class,
      description =
          "Run once for this time of your schedule, such as 2026-11-15T12:00:00Z or @1794744000.")
  private Job.@Nullable Tick tick;

  @Option(
      names = "--background",
      paramLabel = "WHAT",
      description =
          "What becomes of processes that the command leaves in the background: wait (they keep"
              + " the lock; the default), kill, or leave (they live on without it).")
  private Background background = Background.WAIT;

  @Option(
      names = {"-E", "--conflict-exit-code"},
      paramLabel = "CODE",
      description = "The exit code where the command was not run here; by default 75.")
  private @Nullable Integer conflictCode;

  @Option(names = "--skip-ok", description = "Exit with 0 where the command was not run here.")
  private boolean skipOk;

  @Option(
      names = "--pass-store",
      description =
          "Hand the store's URL on to the command in PAWL_STORE, also if it has a secret in it.")
  private boolean passStore;

  @Option(
      names = {"-q", "--quiet"},
      description = "Do not say why the command was not run here.")
  private boolean quiet;

  @Option(
      names = "--json",
      description = "Say what happened in a JSON object, the last line of the error output.")
  private boolean json;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Write that object to a file, such as /dev/fd/3.")
  private @Nullable Path reportFile;

  @Override
  public Integer call() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    RunReport report = new RunReport(name);
    try (ReportFile file = ReportFile.open(reportFile)) {
      int code = reported(screen, report, file);
      if (json) {
        screen.report(report.json(code));
      }
      if (code == Signals.code("INT")) {
        Signals.dieOf("INT");
      }
      return code;
    }
  }

  private int reported(Screen screen, RunReport report, ReportFile file) {
    int code;
    try {
      code = run(screen, report);
    } catch (RuntimeException e) {
      report.onError(Failures.message(e));
      file.write(report.json(Failures.code(e)));
      throw e;
    }
    file.write(report.json(code));
    return code;
  }

  private int run(Screen screen, RunReport report) {
    Program program;
    try {
      check();
      program = Program.find(command, env -> store.handOn(env, passStore));
    } catch (Refusal e) {
      return failed(e, report);
    }
    Signals signals = Signals.take();
    GuardedRun run = new GuardedRun(program, acquire.lease(), background, signals, screen, report);
    try (Pawl pawl = store.connect(program.name())) {
      return run(pawl, run, screen, report);
    } catch (InterruptedException e) {
      report.onSignalled();
      return signals.code();
    } catch (RuntimeException e) {
      if (signals.hasCome()) {
        report.onSignalled();
        return signals.code(); // Whatever the interrupt has made of it.
      }
      return failed(e, report);
    }
  }

  /** Says why it was not run, or lost, before the node is closed, which may wait for the store. */
  private int run(Pawl pawl, GuardedRun run, Screen screen, RunReport report)
      throws InterruptedException {
    try {
      return tick().isPresent()
          ? new JobTurn(pawl, job(), acquire.lockOptions(), run)
              .call(tick().get(), acquire.patience())
          : new LockTurn(pawl, name, acquire, run).call();
    } catch (LockTimeoutException | NotRun e) {
      report.onSkipped(String.valueOf(e.getMessage()));
      if (!quiet && !json) {
        screen.remark(String.valueOf(e.getMessage()));
      }
      return skipOk ? ExitCode.OK : conflictCode == null ? ExitCode.BUSY : conflictCode;
    } catch (LeaseLostException e) {
      report.onLost(String.valueOf(e.getMessage()));
      if (!json) {
        screen.complain(String.valueOf(e.getMessage()));
      }
      return ExitCode.LEASE_LOST;
    }
  }

  private int failed(RuntimeException e, RunReport report) {
    report.onError(Failures.message(e));
    if (!json || Failures.code(e) == ExitCode.SOFTWARE) {
      throw e;
    }
    return Failures.code(e);
  }

  private void check() {
    if (!command.isEmpty() && command.get(0).equals("--")) {
      // The first -- was for a name that begins with -.
      command = command.subList(1, command.size());
    }
    if (shellText != null && !command.isEmpty()) {
      throw Refusal.usage("-c and a COMMAND exclude each other");
    }
    if (shellText != null) {
      command = List.of("sh", "-c", shellText);
    }
    if (command.isEmpty()) {
      throw Refusal.usage(
          "the command to run is missing: pawl run NAME -- COMMAND, or pawl run NAME -c TEXT");
    }
    acquire.check();
    AcquireOptions.atMostOne("-E", conflictCode != null, "--skip-ok", skipOk);
    AcquireOptions.atMostOne("--once-per", oncePer != null, "--tick", tick != null);
    String once = oncePer != null ? "--once-per" : "--tick";
    acquire
        .sharing()
        .ifPresent(sharing -> AcquireOptions.atMostOne(sharing, true, once, tick().isPresent()));
    if (oncePer != null
        && (oncePer.compareTo(Job.Tick.Every.MIN) < 0
            || oncePer.compareTo(Job.Tick.Every.MAX) > 0)) {
      throw Refusal.usage(
          "--once-per is " + DurationText.format(oncePer) + "; allowed is 100ms to 366d");
    }
    if (conflictCode != null && (conflictCode < 0 || conflictCode > 255)) {
      throw Refusal.usage("-E is " + conflictCode + "; allowed is 0 to 255");
    }
  }

  /** Its name, also if it is written as the lock of the job is. */
  private String job() {
    return name.startsWith(Job.PREFIX) ? name.substring(Job.PREFIX.length()) : name;
  }

  private Optional<Job.Tick> tick() {
    return Optional.ofNullable(oncePer == null ? tick : Job.every(oncePer));
  }
}
