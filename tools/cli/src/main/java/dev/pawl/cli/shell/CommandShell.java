package dev.pawl.cli.shell;

import java.io.FileDescriptor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** The way from arguments to an exit code, the same for every command. */
public final class CommandShell {

  private static final String DEBUG = "--debug";
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  private CommandShell() {}

  /** Returns the command with our exit codes and messages. */
  public static CommandLine of(Object command) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        // What begins with @ is a word like any other, and no file with more of them.
        .setExpandAtFiles(false)
        .setParameterExceptionHandler((failure, arguments) -> Failures.report(failure))
        .setExecutionStrategy(CommandShell::execute)
        .setExecutionExceptionHandler(CommandShell::report);
  }

  /** Runs the command with the output as UTF-8, whatever the locale. */
  public static int run(CommandLine command, String... arguments) {
    // Before the first logger is made: the command speaks for itself.
    System.setProperty(LOG_LEVEL, "off");
    // Some drivers have a log of their own, which goes to the error output unless it is configured.
    System.setProperty("java.util.logging.config.file", "/dev/null");
    Output out = Output.of(FileDescriptor.out);
    command.setOut(out).setErr(Output.of(FileDescriptor.err));
    Optional<String> problem = Arguments.problem(arguments);
    if (problem.isPresent()) {
      Screen.of(command).complain(problem.get());
      return ExitCode.USAGE;
    }
    int code;
    try {
      code = command.execute(arguments);
    } catch (LinkageError | OutOfMemoryError | StackOverflowError e) {
      return Failures.report(e, command);
    }
    try {
      Output.check(out); // What was printed past the screen: help, versions.
      return code;
    } catch (Screen.ClosedPipe e) {
      return code == ExitCode.OK ? ExitCode.BROKEN_PIPE : code;
    } catch (Refusal e) {
      return code == ExitCode.OK ? Failures.report(e, command, false) : code;
    }
  }

  private static int execute(ParseResult parsed) {
    refuseMisplaced(parsed);
    if (isDebug(parsed)) {
      System.setErr(Secrets.hidingFrom(System.err));
      System.setProperty(LOG_LEVEL, "debug");
    }
    return new RunLast().execute(parsed);
  }

  /**
   * Refuses options that belong to a command and stand before one of its own commands, which would
   * not see them. The store, the log and a wish for help may be said anywhere.
   */
  private static void refuseMisplaced(ParseResult parsed) {
    for (ParseResult each = parsed; each.hasSubcommand(); each = each.subcommand()) {
      String next = each.subcommand().commandSpec().name();
      for (OptionSpec option : each.matchedOptions()) {
        boolean everywhere =
            option.usageHelp()
                || option.versionHelp()
                || option.longestName().equals(DEBUG)
                || StoreOption.NAMES.contains(option.longestName());
        if (!everywhere) {
          throw new ParameterException(
              each.commandSpec().commandLine(),
              option.longestName() + " belongs after " + next + ", if it has that option");
        }
      }
    }
  }

  private static int report(Exception failure, CommandLine command, ParseResult parsed) {
    if (failure instanceof Screen.ClosedPipe) {
      return ExitCode.BROKEN_PIPE;
    }
    return Failures.report(failure, command, isDebug(parsed));
  }

  /** Tells whether it is among our own arguments, not those of a command to run. */
  private static boolean isDebug(ParseResult parsed) {
    for (@Nullable ParseResult each = parsed; each != null; each = each.subcommand()) {
      if (each.hasMatchedOption(DEBUG)) {
        return true;
      }
    }
    return false;
  }
}
