package dev.pawl.cli.shell;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Where a command prints: its results to the output, everything else to the error output. */
public final class Screen {

  /** What a text is shown as, where the output is a terminal. */
  public enum Style {
    NONE(""),
    BOLD("1"),
    FAINT("2"),
    RED("31"),
    GREEN("32"),
    YELLOW("33"),
    CYAN("36");

    private final String code;

    Style(String code) {
      this.code = code;
    }
  }

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean colour;

  Screen(PrintWriter out, PrintWriter err, boolean colour) {
    this.out = out;
    this.err = err;
    this.colour = colour;
  }

  /** Returns the screen of a command. */
  public static Screen of(CommandSpec command) {
    return of(command.commandLine());
  }

  static Screen of(CommandLine command) {
    return new Screen(command.getOut(), command.getErr(), mayColour(System.getenv()));
  }

  /** Returns one that prints both its results and its remarks there, in the same style. */
  public Screen onto(PrintWriter page) {
    return new Screen(page, page, colour);
  }

  /** Tells whether the output is a terminal; {@code ./pawl} has looked. */
  public static boolean isTerminal() {
    return Boolean.getBoolean("pawl.terminal");
  }

  /** Tells whether the output is a terminal on which a page can stay in its place. */
  public static boolean isDrawable() {
    return isTerminal() && !System.getenv().getOrDefault("TERM", "").equals("dumb");
  }

  /** Tells whether a person can answer; {@code ./pawl} has looked. */
  public static boolean isAnswered() {
    return Boolean.getBoolean("pawl.answered");
  }

  private static boolean mayColour(Map<String, String> environment) {
    return isDrawable() && environment.getOrDefault("NO_COLOR", "").isEmpty();
  }

  /** Returns the text in a style where that can be seen, and as it is elsewhere. */
  public String styled(Style style, String text) {
    return colour && style != Style.NONE ? "\u001b[" + style.code + "m" + text + "\u001b[0m" : text;
  }

  /**
   * Prints a line of the result.
   *
   * @throws ClosedPipe if nobody reads any more
   */
  public void print(String line) {
    out.println(line);
    flush();
  }

  /** Prints text of the result as it is, and shows it at once. */
  public void show(String text) {
    out.print(text);
    flush();
  }

  private void flush() {
    Output.check(out);
  }

  /** Returns a text for people without the secrets of a store's URL. */
  public static String withoutSecrets(String text) {
    return Secrets.redact(text);
  }

  /** Prints a line for a program, beside a result that belongs to somebody else. */
  public void report(String line) {
    err.println(line);
    err.flush();
  }

  /** Prints a remark for the person, who may have sent the result elsewhere. */
  public void remark(String line) {
    err.println("pawl: " + oneLine(line));
    err.flush();
  }

  /** Asks the person, who answers on the same line. */
  public void ask(String question) {
    err.print(question + " ");
    err.flush();
  }

  /** Prints what went wrong. */
  public void complain(String line) {
    err.println(styled(Style.RED, "pawl:") + " " + oneLine(line));
    err.flush();
  }

  /** Returns the text in one line, without anything that a terminal would obey. */
  private static String oneLine(String text) {
    return Table.plain(Secrets.redact(text).strip().replaceAll("\\s*\\R\\s*", " "));
  }

  /** The end of a command whose reader has gone: nothing to say, and nobody to say it to. */
  public static final class ClosedPipe extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
