package dev.pawl.cli.doctor;

import dev.pawl.Pawl;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Json;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.Screen.Style;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.cli.shell.Table;
import dev.pawl.spi.Finding;
import java.time.Clock;
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
      "Takes a lock of its own, measures round trip and clock offset, and looks for what makes the"
          + " store unsafe. It changes nothing.",
      "",
      "Exit codes: 0 nothing unsafe was found; 1 something was; 69 the store cannot be reached.",
    })
public final class DoctorCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private StoreOption store = new StoreOption();

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "Print only what is not fine.")
  private boolean quiet;

  @Override
  public Integer call() throws InterruptedException {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    try (Pawl pawl = store.connect("doctor")) {
      List<Finding> findings = new Probe(pawl, Clock.systemUTC()).findings();
      if (json) {
        screen.print(Json.of(document(pawl.store().describe(), findings)));
      } else {
        print(screen, pawl.store().describe(), findings);
      }
      return count(findings, Finding.Level.UNSAFE) == 0 ? ExitCode.OK : ExitCode.NO;
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
        ? "Not fit for locks: " + unsafe + " unsafe, " + warnings + " to know of."
        : warnings > 0 ? "Fit for locks, with " + warnings + " to know of." : "Fit for locks.";
  }

  private static long count(List<Finding> findings, Finding.Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }
}
