package dev.pawl.cli.look;

import dev.pawl.PawlException;
import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pawl top}: the locks and jobs of a store, live. */
@Command(
    name = "top",
    description = "Watch the locks and jobs live; where there is no terminal, show them once.",
    footer = {
      "",
      "q or Ctrl-C ends it. The bars show how much of each lease is left.",
      "",
      "Example:",
      "  pawl top --store redis://localhost --interval 500ms"
    })
public final class TopCommand implements Runnable {

  private static final Duration MIN = Duration.ofMillis(100);
  private static final Duration MAX = Duration.ofHours(1);

  /** How soon a window that was resized is filled again, even if the store is asked seldom. */
  private static final Duration REDRAW = Duration.ofSeconds(1);

  private static final Terminal.Size UNBOUNDED =
      new Terminal.Size(Integer.MAX_VALUE, Integer.MAX_VALUE);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();

  @Option(
      names = {"-i", "--interval"},
      paramLabel = "DURATION",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "How often to look (${DEFAULT-VALUE} unless told).")
  private Duration interval = Duration.ofSeconds(1);

  @Override
  public void run() {
    if (interval.compareTo(MIN) < 0 || interval.compareTo(MAX) > 0) {
      throw Refusal.usage(
          "--interval is %s; allowed is %s to %s"
              .formatted(Durations.format(interval), Durations.format(MIN), Durations.format(MAX)));
    }
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    try (StoreView view = StoreView.open(store)) {
      // Before the terminal is touched: a store that cannot be read is said on the first screen.
      TopSnapshot first = TopSnapshot.of(view);
      if (Screen.isTerminal()) {
        try (Terminal terminal = Terminal.open(screen)) {
          watch(screen, terminal, view, first);
        }
      } else {
        new TopFrame(screen, first, new LeaseBars())
            .lines(UNBOUNDED, "", "")
            .forEach(screen::print);
      }
    }
  }

  private void watch(Screen screen, Terminal terminal, StoreView view, TopSnapshot first) {
    LeaseBars bars = new LeaseBars();
    TopSnapshot snapshot = first;
    String trouble = "";
    String hint = "  every " + Durations.format(interval) + ", q ends";
    long seenAt = System.nanoTime();
    while (true) {
      bars.see(snapshot.locks());
      terminal.draw(new TopFrame(screen, snapshot, bars).lines(terminal.size(), hint, trouble));
      Duration left = interval.minusNanos(System.nanoTime() - seenAt);
      OptionalInt key = terminal.key(left.compareTo(REDRAW) < 0 ? left : REDRAW);
      if (key.isPresent() && (key.getAsInt() == 'q' || key.getAsInt() == 'Q')) {
        return;
      }
      if (System.nanoTime() - seenAt >= interval.toNanos()) {
        seenAt = System.nanoTime();
        try {
          snapshot = TopSnapshot.of(view);
          trouble = "";
        } catch (PawlException e) {
          trouble = Objects.requireNonNullElse(e.getMessage(), e.toString());
        }
      }
    }
  }
}
