package dev.pawl.cli.shell;

/** An end of the command that is no bug: one line for the person, and an exit code. */
public final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int code;

  /** Makes one with the line to print, without the {@code pawl:} before it. */
  public Refusal(int code, String message) {
    super(message);
    this.code = code;
  }

  /** Returns a refusal of how the command was called. */
  public static Refusal usage(String message) {
    return new Refusal(ExitCode.USAGE, message);
  }

  /** Returns the exit code. */
  public int code() {
    return code;
  }
}
