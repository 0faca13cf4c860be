package dev.pawl.cli.look;

import dev.pawl.PawlException;
import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.TextWidth;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that has a command look again and again. */
final class WatchOption {

  static final Duration MIN = Duration.ofMillis(100);
  static final Duration MAX = Duration.ofHours(1);

  @Option(
      names = "--watch",
      paramLabel = "DURATION",
      arity = "0..1",
      fallbackValue = "1s",
      converter = DurationConverter.class,
      description =
          "Look again after that long, and so on (--watch=5s; default: 1s). On a terminal the page"
              + " stays where it is, and q ends it; elsewhere each look is printed.")
  private @Nullable Duration interval;

  /** Prints a page once, or for as long as the person watches. */
  void repeat(Screen screen, boolean onePage, Consumer<Screen> page) {
    if (interval == null) {
      page.accept(screen);
      return;
    }
    check("--watch", interval);
    if (onePage && Screen.isDrawable()) {
      // Before the terminal is touched: a store that cannot be read is said on the first screen.
      List<String> first = lines(screen, page);
      try (Terminal terminal = Terminal.open(screen)) {
        watch(screen, terminal, first, interval, page);
      }
      return;
    }
    while (!Thread.currentThread().isInterrupted()) {
      page.accept(screen);
      LockSupport.parkNanos(interval.toNanos());
    }
  }

  private static void watch(
      Screen screen,
      Terminal terminal,
      List<String> first,
      Duration interval,
      Consumer<Screen> page) {
    List<String> lines = first;
    while (true) {
      Terminal.Size size = terminal.size();
      terminal.draw(
          lines.stream()
              .limit(size.rows())
              .map(line -> TextWidth.cut(line, size.columns()))
              .toList());
      OptionalInt key = terminal.key(interval);
      if (key.isPresent() && (key.getAsInt() == 'q' || key.getAsInt() == 'Q')) {
        return;
      }
      try {
        lines = lines(screen, page);
      } catch (PawlException e) {
        lines = List.of(Objects.requireNonNullElse(e.getMessage(), e.toString()));
      }
    }
  }

  private static List<String> lines(Screen screen, Consumer<Screen> page) {
    StringWriter text = new StringWriter();
    page.accept(screen.onto(new PrintWriter(text)));
    return text.toString().lines().toList();
  }

  /** Refuses an interval that makes no sense. */
  static void check(String option, Duration interval) {
    if (interval.compareTo(MIN) < 0 || interval.compareTo(MAX) > 0) {
      throw Refusal.usage(
          "%s is %s; allowed is %s to %s"
              .formatted(
                  option,
                  Durations.format(interval),
                  Durations.format(MIN),
                  Durations.format(MAX)));
    }
  }
}
