package dev.pawl.cli.shell;

import dev.pawl.InvalidNameException;
import dev.pawl.LeaseLostException;
import dev.pawl.LockTimeoutException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.spi.KnownWords;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What went wrong, as one line for a person and an exit code for a program. */
public final class Failures {

  private static final String DASHED = "; a name that begins with - is written after --";

  private Failures() {}

  /** Returns the exit code of a failure. */
  public static int code(Throwable failure) {
    if (failure instanceof Refusal refusal) {
      return refusal.code();
    }
    // A store that answers, but not to us, throws the plain one: a wrong password, say.
    if (failure instanceof StoreUnavailableException
        || failure instanceof OutcomeUnknownException
        || failure.getClass() == PawlException.class) {
      return ExitCode.UNAVAILABLE;
    }
    if (failure instanceof LockTimeoutException) {
      return ExitCode.BUSY;
    }
    if (failure instanceof LeaseLostException) {
      return ExitCode.LEASE_LOST;
    }
    // A malformed URL or option of a store comes as an IllegalArgumentException.
    if (failure instanceof InvalidNameException
        || failure instanceof UnsupportedByStoreException
        || failure instanceof IllegalArgumentException) {
      return ExitCode.USAGE;
    }
    return failure instanceof UncheckedIOException || failure instanceof OutOfMemoryError
        ? ExitCode.SYSTEM
        : ExitCode.SOFTWARE;
  }

  /** Returns the message of a failure, for a person. */
  public static String message(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof UncheckedIOException host && host.getCause() != null) {
      IOException cause = host.getCause();
      return message.equals(cause.toString())
          ? String.valueOf(cause.getMessage())
          : message + ": " + reason(cause);
    }
    return message.startsWith("no JDBC driver on the class path")
        ? message + " to the jars in PAWL_CLASSPATH"
        : message;
  }

  /** Prints the failure of a command, and returns its exit code. */
  static int report(Exception failure, CommandLine command, boolean debug) {
    int code = code(failure);
    Screen screen = Screen.of(command);
    if (code == ExitCode.SOFTWARE) {
      screen.complain("this is a bug: " + failure + (debug ? "" : "; --debug shows where"));
    } else {
      screen.complain(message(failure));
    }
    if (debug) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace, true));
      command.getErr().print(Secrets.redact(trace.toString()));
      command.getErr().flush();
    }
    return code;
  }

  /** Prints what the JVM could not do, and returns the exit code. */
  static int report(Error failure, CommandLine command) {
    Screen screen = Screen.of(command);
    if (failure instanceof NoClassDefFoundError) {
      screen.complain(
          "the class "
              + String.valueOf(failure.getMessage()).replace('/', '.')
              + " is missing; add the jar that has it to PAWL_CLASSPATH");
      return ExitCode.USAGE;
    }
    screen.complain(
        failure instanceof OutOfMemoryError
            ? "this host gives no more: " + failure.getMessage()
            : "Java cannot go on: " + failure);
    return code(failure);
  }

  /** Returns why a file could not be used, without its path. */
  public static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof CharacterCodingException) {
      return "it is not UTF-8";
    }
    return failure instanceof FileSystemException file && file.getReason() != null
        ? file.getReason()
        : String.valueOf(failure.getMessage());
  }

  /** Prints what is wrong with the arguments, and returns the exit code. */
  static int report(ParameterException failure) {
    CommandLine command = failure.getCommandLine();
    String hint = "";
    String message = lowerCase(String.valueOf(failure.getMessage()));
    if (failure instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().get(0);
      if (!command.getSubcommands().isEmpty() && !word.startsWith("-")) {
        message = KnownWords.unknown("command", word, command.getSubcommands().keySet());
      } else if (!unmatched.getSuggestions().isEmpty()) {
        hint =
            "; did you mean "
                + unmatched.getSuggestions().stream()
                    .map(suggestion -> suggestion.replaceFirst("^pawl ", ""))
                    .collect(Collectors.joining(" or "))
                + "?";
      } else if (unmatched.isUnknownOption()) {
        hint = DASHED;
      }
    } else if (failure instanceof MissingParameterException && hasUnknownOption(command)) {
      hint = DASHED;
    }
    Screen.of(command)
        .complain(
            message
                + hint
                + " ("
                + command.getCommandSpec().qualifiedName()
                + " --help shows what there is)");
    return ExitCode.USAGE;
  }

  private static boolean hasUnknownOption(CommandLine command) {
    return command.getUnmatchedArguments().stream().anyMatch(each -> each.startsWith("-"));
  }

  private static String lowerCase(String message) {
    return message.isEmpty()
        ? message
        : Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }
}
