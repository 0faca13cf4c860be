package dev.pawl.cli.run;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
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
            + " [options] -- COMMAND [ARG…]",
    footer = {
      "",
      "The command gets PAWL_NAME, PAWL_TOKEN, PAWL_NODE and, of a job, PAWL_TICK. It is in a"
          + " process group of its own; TERM, INT and HUP are passed on to it. It is dead before"
          + " its lease ends, also if pawl is killed.",
      "",
      "Exit codes: the command's own, 128 and the signal that ended it, or",
      "  64  wrong usage             75  busy, timed out, or the tick is done (-E, --skip-ok)",
      "  69  store unavailable       76  the lease was lost, and the command was ended",
      "  126 cannot be executed      127 not found",
      "",
      "Examples:",
      "  pawl run nightly-backup -n -- /opt/backup.sh",
      "  pawl run sms-reminder --once-per 1m --skip-ok -- send-reminders",
      "  pawl run report --limit 3 -w 30s -- make-report --year 2026",
    })
public final class RunCommand implements Callable<Integer> {

  /** Below this there is no time to end a command between a missed renewal and the lease's end. */
  private static final Duration MIN_LEASE = Duration.ofSeconds(1);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private StoreOption store = new StoreOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "What is locked.")
  private String name = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "What to run, and its arguments; no shell in between.")
  private List<String> command = List.of();

  @Option(
      names = {"-n", "--no-wait"},
      description = "Do not wait: run now or not at all.")
  private boolean noWait;

  @Option(
      names = {"-w", "--wait"},
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Wait that long at the most, such as 30s; for ever unless told.")
  private @Nullable Duration wait;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long a dead host keeps the others waiting; 10s unless told.")
  private Duration lease = LockOptions.DEFAULT.lease();

  @Option(names = "--shared", description = "Run together with others that are shared.")
  private boolean shared;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Let up to N run at a time. All who use the name should say the same N.")
  private @Nullable Integer limit;

  @Option(
      names = "--once-per",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "Run once in each period, cut on the store's clock; stand by to take over if the host"
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
      description = "The exit code where the command was not run here; 75 unless told.")
  private @Nullable Integer conflictCode;

  @Option(names = "--skip-ok", description = "Exit with 0 where the command was not run here.")
  private boolean skipOk;

  @Option(
      names = {"-q", "--quiet"},
      description = "Do not say why the command was not run here.")
  private boolean quiet;

  @Override
  public Integer call() {
    check();
    Program.checkSystem();
    Program program = Program.find(command);
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    Signals signals = Signals.take();
    GuardedRun run = new GuardedRun(program, lease, background, signals, screen);
    try (Pawl pawl = store.connect(program.name())) {
      return tick().isPresent()
          ? new JobTurn(pawl, name, options(), run).call(tick().get(), patience())
          : new LockTurn(pawl, name, options(), shared, limit, run).call(patience());
    } catch (LockTimeoutException | NotRun e) {
      if (!quiet) {
        screen.remark(String.valueOf(e.getMessage()));
      }
      return skipOk ? ExitCode.OK : conflictCode == null ? ExitCode.BUSY : conflictCode;
    } catch (LeaseLostException e) {
      screen.complain(String.valueOf(e.getMessage()));
      return ExitCode.LEASE_LOST;
    } catch (InterruptedException e) {
      return signals.code();
    } catch (RuntimeException e) {
      if (signals.hasCome()) {
        return signals.code(); // Whatever the interrupt has made of it.
      }
      throw e;
    }
  }

  private void check() {
    if (!command.isEmpty() && command.get(0).equals("--")) {
      // The first -- was for a name that begins with -.
      command = command.subList(1, command.size());
    }
    if (command.isEmpty()) {
      throw Refusal.usage("the command to run is missing: pawl run NAME -- COMMAND");
    }
    atMostOne("-n", noWait, "-w", wait != null);
    atMostOne("-E", conflictCode != null, "--skip-ok", skipOk);
    atMostOne("--once-per", oncePer != null, "--tick", tick != null);
    atMostOne("--shared", shared, "--limit", limit != null);
    String sharing = shared ? "--shared" : "--limit";
    String once = oncePer != null ? "--once-per" : "--tick";
    atMostOne(sharing, shared || limit != null, once, tick().isPresent());
    if (limit != null && limit < 1) {
      throw Refusal.usage("--limit is " + limit + "; it must be at least 1");
    }
    if (conflictCode != null && (conflictCode < 0 || conflictCode > 255)) {
      throw Refusal.usage("-E is " + conflictCode + "; allowed is 0 to 255");
    }
    if (lease.compareTo(MIN_LEASE) < 0) {
      throw Refusal.usage(
          "--lease is shorter than 1s, which leaves no time to end a command before it is over");
    }
  }

  private static void atMostOne(String one, boolean hasOne, String other, boolean hasOther) {
    if (hasOne && hasOther) {
      throw Refusal.usage(one + " and " + other + " exclude each other");
    }
  }

  private LockOptions options() {
    return LockOptions.DEFAULT.withLease(lease);
  }

  private Optional<Job.Tick> tick() {
    return Optional.ofNullable(oncePer == null ? tick : Job.every(oncePer));
  }

  /** How long to wait; empty for ever. */
  private Optional<Duration> patience() {
    return noWait ? Optional.of(Duration.ZERO) : Optional.ofNullable(wait);
  }
}
