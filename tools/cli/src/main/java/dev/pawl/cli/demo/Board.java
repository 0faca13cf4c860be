package dev.pawl.cli.demo;

import dev.pawl.cli.shell.Screen;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Where the story is told: lines that stay, with the time that has passed. */
sealed interface Board extends AutoCloseable {

  /** How a line is meant. */
  enum Tone {
    HEADLINE(Screen.Style.BOLD),
    PLAIN(Screen.Style.FAINT),
    HARM(Screen.Style.RED),
    GOOD(Screen.Style.GREEN);

    private final Screen.Style style;

    Tone(Screen.Style style) {
      this.style = style;
    }
  }

  /** Tells what has happened. */
  void tell(Tone tone, String line);

  /** Shows how things are, where they can be shown. */
  default void refresh() {}

  @Override
  default void close() {}

  /** Tells nobody. */
  record Silent() implements Board {
    @Override
    public void tell(Tone tone, String line) {}
  }

  /** Lines, one after the other, with nothing for a terminal in them. */
  record Plain(Screen screen, Timing timing) implements Board {
    @Override
    public void tell(Tone tone, String line) {
      screen.print(stamped(timing, tone, line));
    }
  }

  /** Lines above a panel that is always at the bottom, and up to date. */
  final class Live implements Board {

    private static final String HIDE_CURSOR = "\u001b[?25l";
    private static final String SHOW_CURSOR = "\u001b[?25h";
    private static final String ERASE_BELOW = "\u001b[J";

    private final Screen screen;
    private final Timing timing;
    private final Supplier<List<String>> panel;
    private int shown;

    Live(Screen screen, Timing timing, Supplier<List<String>> panel) {
      this.screen = screen;
      this.timing = timing;
      this.panel = panel;
    }

    @Override
    public void tell(Tone tone, String line) {
      screen.show(
          erased() + screen.styled(tone.style, stamped(timing, tone, line)) + "\n" + drawn());
    }

    @Override
    public void refresh() {
      screen.show(erased() + drawn());
    }

    /** Takes the panel away; the lines stay. */
    @Override
    public void close() {
      screen.show(erased() + SHOW_CURSOR);
    }

    private String erased() {
      String up = shown == 0 ? "" : "\u001b[" + shown + "F";
      shown = 0;
      return up + ERASE_BELOW;
    }

    private String drawn() {
      List<String> lines = panel.get();
      shown = lines.size();
      return HIDE_CURSOR + String.join("\n", lines) + "\n";
    }
  }

  private static String stamped(Timing timing, Tone tone, String line) {
    return String.format(
        Locale.ROOT,
        "%5.1fs  %s%s",
        timing.elapsed().toMillis() / 1_000.0,
        tone == Tone.HEADLINE ? "" : "  ",
        line);
  }
}
