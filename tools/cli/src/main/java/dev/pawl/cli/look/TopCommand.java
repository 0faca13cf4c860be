package dev.pawl.cli.look;

import dev.pawl.PawlException;
import dev.pawl.cli.shell.DurationConverter;
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
      "s sorts by name, age, lease left or how many wait; / filters by name, holder or waiter; the"
          + " arrows, PgUp, PgDn, Home and End scroll; q or Ctrl-C ends it. The bars show how much"
          + " of each lease is left.",
      "",
      "Example:",
      "  pawl top --store redis://localhost --interval 500ms"
    })
public final class TopCommand implements Runnable {

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
      description = "How often to look (default: ${DEFAULT-VALUE}).")
  private Duration interval = Duration.ofSeconds(1);

  @Override
  public void run() {
    WatchOption.check("--interval", interval);
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    try (StoreView view = StoreView.open(store)) {
      // Before the terminal is touched: a store that cannot be read is said on the first screen.
      TopSnapshot first = TopSnapshot.of(view);
      if (Screen.isDrawable()) {
        try (Terminal terminal = Terminal.open(screen)) {
          watch(screen, terminal, view, first);
        }
      } else {
        new TopFrame(screen, first, new LeaseBars(), TopControls.START)
            .lines(UNBOUNDED, "", "")
            .forEach(screen::print);
      }
    }
  }

  private void watch(Screen screen, Terminal terminal, StoreView view, TopSnapshot first) {
    LeaseBars bars = new LeaseBars();
    TopSnapshot snapshot = first;
    String trouble = "";
    TopControls controls = TopControls.START;
    long seenAt = System.nanoTime();
    while (true) {
      bars.see(snapshot.locks());
      TopFrame frame = new TopFrame(screen, snapshot, bars, controls);
      Terminal.Size size = terminal.size();
      terminal.draw(frame.lines(size, controls.hint(), trouble));
      Duration left = interval.minusNanos(System.nanoTime() - seenAt);
      OptionalInt key = terminal.key(left.compareTo(REDRAW) < 0 ? left : REDRAW);
      if (key.isPresent()) {
        if (controls.isEnd(key.getAsInt())) {
          return;
        }
        controls = controls.press(key.getAsInt(), frame.page(size), frame.count());
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
