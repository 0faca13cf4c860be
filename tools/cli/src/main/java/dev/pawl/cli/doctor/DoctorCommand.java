package dev.pawl.cli.doctor;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Screen.Style;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.cli.shell.Table;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.Probe;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pawl doctor}: what is wrong with a store, why it matters and what to do. */
@Command(
    name = "doctor",
    description = "Examine a store: is it fit to keep locks?",
    footer = {
      "",
      "Looks for what makes the store unsafe, and measures round trip and clock offset. It creates"
          + " and changes nothing. With --lock it also takes a lock, whose name pawl:doctor the"
          + " store then remembers for a while, as it does every name.",
      "",
      "Exit codes: 0 nothing unsafe was found; 1 something was; 69 the store cannot be reached.",
    })
public final class DoctorCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private StoreOption store = new StoreOption();

  @Option(names = "--lock", description = "Also take a lock, twice, and release it.")
  private boolean lock;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only what is not fine.")
  private boolean quiet;

  @Override
  public Integer call() throws InterruptedException {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    List<Finding> findings = new ArrayList<>();
    String described = store.missingOwnFile().map(path -> "sqlite:" + path).orElse("");
    if (described.isEmpty()) {
      try (Pawl pawl = store.look("doctor")) {
        described = pawl.store().describe();
        findings.addAll(new Probe((LockStore) pawl.store(), Clock.systemUTC()).findings());
      } catch (StoreUnavailableException e) {
        if (!store.isPair()) {
          throw e;
        }
        described = "a pair of which one cannot be reached";
        findings.addAll(PairParts.findings(store));
      }
    } else {
      findings.add(Finding.fine("no store is named: the first pawl run creates this file"));
    }
    // After it was examined: on a store that takes no locks there would be no more than an error.
    if (lock && count(findings, Finding.Level.UNSAFE) == 0) {
      findings.add(lock());
    }
    if (json) {
      screen.print(Json.of(document(described, findings)));
    } else {
      print(screen, described, findings);
    }
    return count(findings, Finding.Level.UNSAFE) == 0 ? ExitCode.OK : ExitCode.NO;
  }

  private Finding lock() throws InterruptedException {
    try (Pawl pawl = store.connect("doctor")) {
      return TrialLock.takeTwice(pawl);
    } catch (PawlException e) {
      return Finding.unsafe(
          "no lock could be taken: " + e.getMessage(),
          "The store can be read, but not written to, or it answers too slowly.",
          "Check what this user may do there.");
    }
  }

  private static Object document(String described, List<Finding> findings) {
    return Json.object(
        "store",
        described,
        "unsafe",
        count(findings, Finding.Level.UNSAFE),
        "warnings",
        count(findings, Finding.Level.WARNING),
        "findings",
        findings.stream()
            .map(
                finding ->
                    Json.object(
                        "level",
                        finding.level().name().toLowerCase(Locale.ROOT),
                        "what",
                        finding.what(),
                        "why",
                        finding.why(),
                        "remedy",
                        finding.remedy()))
            .toList());
  }

  private void print(Screen screen, String described, List<Finding> findings) {
    if (!quiet) {
      screen.print(screen.styled(Style.BOLD, Table.plain(described)));
    }
    for (Finding finding : findings) {
      if (quiet && finding.level() == Finding.Level.FINE) {
        continue;
      }
      screen.print(sign(screen, finding.level()) + Table.plain(finding.what()));
      if (finding.level() != Finding.Level.FINE) {
        screen.print("           why: " + Table.plain(finding.why()));
        screen.print("           do:  " + Table.plain(finding.remedy()));
      }
    }
    if (!quiet) {
      screen.print(verdict(findings));
    }
  }

  private static String sign(Screen screen, Finding.Level level) {
    return switch (level) {
      case FINE -> screen.styled(Style.GREEN, "  fine    ");
      case WARNING -> screen.styled(Style.YELLOW, "  warning ");
      case UNSAFE -> screen.styled(Style.RED, "  UNSAFE  ");
    };
  }

  private static String verdict(List<Finding> findings) {
    long unsafe = count(findings, Finding.Level.UNSAFE);
    long warnings = count(findings, Finding.Level.WARNING);
    return unsafe > 0
        ? "Not fit for locks: %d unsafe, %s.".formatted(unsafe, counted(warnings))
        : "Fit for locks" + (warnings > 0 ? ", with " + counted(warnings) : "") + ".";
  }

  private static long count(List<Finding> findings, Finding.Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }

  private static String counted(long warnings) {
    return warnings + (warnings == 1 ? " warning" : " warnings");
  }
}
