package dev.pawl.cli.look;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.json.Json;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairedStore;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pawl mode}: which store of a pair has the locks, and the way to move them by hand. */
@Command(
    name = "mode",
    description = "Show which store of a pair has the locks, and why; move them by hand.",
    footer = {
      "",
      "For a store of two, --store 'PRIMARY | BACKUP'. Leaving the primary ends the leases in it;"
          + " returning takes nothing away. A backup that a person has chosen is left only when a"
          + " person chooses the primary. Each switch is written to the journal. Exit code 75 if"
          + " the locks are there already, or if the mode has changed since you looked.",
      "",
      "Examples:",
      "  pawl mode --store 'redis://cache | jdbc:postgresql://db/app'",
      "  pawl mode --switch backup --reason \"Redis is upgraded tonight\"",
      "  pawl mode --json | jq -r '.nodes[] | select(.confirmed | not) | .label'"
    })
public final class ModeCommand implements Runnable {

  private static final long POLL_NANOS = 200_000_000;

  /** Where a person can move the locks. */
  enum Side {
    BACKUP,
    PRIMARY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();

  @Option(
      names = "--switch",
      paramLabel = "STORE",
      description = "Move the locks to that store: ${COMPLETION-CANDIDATES}. Needs --reason.")
  private @Nullable Side side;

  @Option(
      names = "--dissolve",
      description =
          "Take the pair apart: the primary may then be used alone. Refused while a node is"
              + " connected, or while the backup has the locks.")
  private boolean dissolve;

  @Mixin private final Confirmation confirmation = new Confirmation();

  @Option(
      names = {"-q", "--quiet"},
      description = "Print the bare mode; nothing when the locks are moved.")
  private boolean quiet;

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    check();
    try (StoreView view = StoreView.open(store)) {
      PairedStore pair =
          view.pair()
              .orElseThrow(
                  () ->
                      Refusal.usage(
                          view.describe()
                              + " is no pair, so it has no mode; name both stores:"
                              + " --store 'PRIMARY | BACKUP'"));
      PairStatus status = StoreView.answer(pair.status(), "how the pair stands");
      if (side != null) {
        status = move(screen, pair, status, side);
      } else if (dissolve) {
        dissolve(screen, withoutTheDead(screen, pair, status));
      }
      if (json) {
        screen.print(Json.of(ModeWords.json(status, view.now())));
      } else if (side == null && !dissolve) {
        show(screen, status, view);
      } else if (!quiet) {
        screen.print(
            dissolve
                ? status.primary() + " may be used alone again"
                : "the mode is " + ModeWords.line(status));
      }
    }
  }

  private void show(Screen screen, PairStatus status, StoreView view) {
    if (quiet) {
      screen.print(ModeWords.mode(status));
    } else {
      ModeWords.print(screen, status, view.now());
    }
  }

  private void check() {
    boolean decides = side != null || dissolve;
    if (json && quiet) {
      throw Refusal.usage("--json and --quiet exclude each other");
    }
    if (side != null && dissolve) {
      throw Refusal.usage("--switch and --dissolve exclude each other");
    }
    if (!decides && confirmation.isGiven()) {
      throw Refusal.usage("--reason and --yes are for --switch and --dissolve");
    }
    if (decides) {
      confirmation.check("does it");
    }
  }

  /** A node that was killed is listed until its mode lease has ended: that is waited for. */
  private static PairStatus withoutTheDead(Screen screen, PairedStore pair, PairStatus seen) {
    if (seen.mode() != Mode.PRIMARY || seen.nodes().isEmpty()) {
      return seen;
    }
    Duration longest = seen.lease().multipliedBy(102).dividedBy(100).plusSeconds(1);
    screen.remark(
        "nodes are listed; one that was killed is gone after a mode lease, so this may take "
            + longest.toSeconds()
            + " s");
    long start = System.nanoTime();
    PairStatus status = seen;
    while (!status.nodes().isEmpty() && System.nanoTime() - start < longest.toNanos()) {
      LockSupport.parkNanos(POLL_NANOS);
      status = StoreView.answer(pair.status(), "how the pair stands");
    }
    return status;
  }

  private void dissolve(Screen screen, PairStatus status) {
    if (status.mode() != Mode.PRIMARY || !status.nodes().isEmpty()) {
      throw new Refusal(
          ExitCode.BUSY,
          status.mode() != Mode.PRIMARY
              ? "the mode is "
                  + ModeWords.line(status)
                  + "; return first, with pawl mode --switch primary"
              : status.nodes().size()
                  + " nodes are connected to the pair; stop them first: pawl mode lists them");
    }
    confirmation.ask(
        screen,
        "no node is connected; every service must be configured with one store alone before it is"
            + " started again",
        "Take the pair apart?",
        "nothing was changed");
    try (StoreView primary = StoreView.openPrimary(store)) {
      primary.removeSign(Confirmation.operator(System.getenv()), confirmation.reason());
    }
  }

  private PairStatus move(Screen screen, PairedStore pair, PairStatus seen, Side to) {
    Mode mode = to == Side.BACKUP ? Mode.BACKUP : Mode.PRIMARY;
    confirmation.ask(
        screen,
        "the mode is "
            + ModeWords.line(seen)
            + (to == Side.BACKUP
                ? "; leases in the primary end, and are taken anew in the backup"
                : "; leases stay, and are taken in the primary as well"),
        "Switch to the " + to + "?",
        "nothing was changed");
    String by = Confirmation.operator(System.getenv());
    try {
      return StoreView.answer(
          pair.move(seen, mode, by, confirmation.reason()), "whether the locks move");
    } catch (IllegalStateException e) {
      throw new Refusal(
          ExitCode.BUSY, Objects.requireNonNullElse(e.getMessage(), "it was refused"));
    }
  }
}
