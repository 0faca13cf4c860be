package dev.pawl.cli.shell;

import java.io.FileDescriptor;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** The way from arguments to an exit code, the same for every command. */
public final class CommandShell {

  private static final String DEBUG = "--debug";

  private CommandShell() {}

  /** Returns the command with our exit codes and messages. */
  public static CommandLine of(Object command) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler((failure, arguments) -> Failures.report(failure))
        .setExecutionExceptionHandler(CommandShell::report);
  }

  /** Runs the command with the output as UTF-8, whatever the locale. */
  public static int run(CommandLine command, String... arguments) {
    // Before the first logger is made: the command speaks for itself.
    System.setProperty(
        "org.slf4j.simpleLogger.defaultLogLevel", isDebug(List.of(arguments)) ? "debug" : "off");
    Output out = Output.of(FileDescriptor.out);
    int code = command.setOut(out).setErr(Output.of(FileDescriptor.err)).execute(arguments);
    try {
      Output.check(out); // What was printed past the screen: help, versions.
      return code;
    } catch (Screen.ClosedPipe e) {
      return code == ExitCode.OK ? ExitCode.BROKEN_PIPE : code;
    } catch (Refusal e) {
      return code == ExitCode.OK ? Failures.report(e, command, false) : code;
    }
  }

  private static int report(Exception failure, CommandLine command, ParseResult parsed) {
    if (failure instanceof Screen.ClosedPipe) {
      return ExitCode.BROKEN_PIPE;
    }
    return Failures.report(failure, command, isDebug(parsed.originalArgs()));
  }

  /** Tells whether it is among our own arguments, not those of a command to run. */
  private static boolean isDebug(List<String> arguments) {
    int end = arguments.indexOf("--");
    return (end < 0 ? arguments : arguments.subList(0, end)).contains(DEBUG);
  }
}
