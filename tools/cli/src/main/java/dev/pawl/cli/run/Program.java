package dev.pawl.cli.run;

import dev.pawl.cli.shell.CallersLocale;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command to run: looked up before the lock is asked for, started once it is granted. */
final class Program {

  /**
   * The shell finds the terminal by its error output. It does not speak of the end of a job by a
   * signal for which it has a trap, and it forks for what is not its last command.
   */
  private static final String FOREGROUND =
      "exec 3>&2 2>/dev/tty; trap : TERM HUP QUIT; set -m; \"$@\" 2>&3 3>&-; exit $?";

  /** Ctrl-Z is ignored: one who is suspended under a lock keeps the others waiting for nothing. */
  private static final String JOIN =
      "trap '' TSTP; echo \"group $$\" >/proc/%d/fd/0 || exit 126; exec \"$@\"";

  /** Where shells look if the environment has no {@code PATH}, as after {@code env -i}. */
  private static final String DEFAULT_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** What Linux reads of it. */
  private static final int LONGEST_FIRST_LINE = 256;

  /** One that is named in ASCII: what others are depends on the locale. */
  private static final Pattern INTERPRETER = Pattern.compile("#![ \\t]*(/[!-~]+\\r?)[ \\t\\n]");

  private final SystemTools system;
  private final Path executable;
  private final List<String> arguments;

  /** Changes the environment that the command inherits. */
  private final Consumer<Map<String, String>> environment;

  private Program(
      SystemTools system,
      Path executable,
      List<String> arguments,
      Consumer<Map<String, String>> environment) {
    this.system = system;
    this.executable = executable;
    this.arguments = arguments;
    this.environment = environment;
  }

  /**
   * Finds it as a shell would.
   *
   * @throws Refusal if there is no such file, it cannot be executed, or the system cannot start it
   *     as we need it
   */
  static Program find(List<String> command, Consumer<Map<String, String>> environment) {
    String name = command.get(0);
    List<Path> candidates = new ArrayList<>();
    if (name.contains("/")) {
      candidates.add(Path.of(name));
    } else if (!name.isEmpty()) {
      for (String directory :
          System.getenv().getOrDefault("PATH", DEFAULT_PATH).split(File.pathSeparator, -1)) {
        candidates.add(Path.of(directory.isEmpty() ? "." : directory, name));
      }
    }
    for (Path candidate : candidates) {
      if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
        checkInterpreter(candidate);
        return new Program(
            SystemTools.find(), candidate.toAbsolutePath(), List.copyOf(command), environment);
      }
    }
    for (Path candidate : candidates) {
      if (Files.exists(candidate)) {
        throw new Refusal(
            ExitCode.NOT_EXECUTABLE,
            candidate + (Files.isDirectory(candidate) ? " is a directory" : " is not executable"));
      }
    }
    throw new Refusal(ExitCode.NOT_FOUND, "\"" + name + "\": command not found");
  }

  /** Refuses a script whose interpreter is not there, which the system says of the script. */
  private static void checkInterpreter(Path script) {
    String first;
    try (InputStream input = Files.newInputStream(script)) {
      first = new String(input.readNBytes(LONGEST_FIRST_LINE), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return; // It may be executed all the same, if it is no script.
    }
    Matcher named = INTERPRETER.matcher(first);
    if (named.lookingAt() && !Files.exists(Path.of(named.group(1)))) {
      boolean isOfWindows = named.group(1).endsWith("\r");
      throw new Refusal(
          ExitCode.NOT_FOUND,
          script
              + " begins with #!"
              + named.group(1).strip()
              + (isOfWindows
                  ? " and a carriage return: its lines end as on Windows; convert them (dos2unix)"
                  : ", which is not there"));
    }
  }

  /** Returns its file's name, for people. */
  String name() {
    return String.valueOf(executable.getFileName());
  }

  /**
   * Starts it as the leader of a session and process group of its own, with our input and outputs.
   * Where the system has parent-death signals, it is killed when the calling thread ends.
   */
  Process start(Map<String, String> variables) {
    List<String> line = new ArrayList<>(system.heedingQuit());
    line.addAll(system.dyingWithItsParent());
    line.addAll(List.of("setsid", "--"));
    return start(line, variables);
  }

  /**
   * Starts it as the foreground group of our terminal, by way of a shell with job control, which
   * takes the terminal back afterwards. It tells the leash its group itself.
   */
  Process startOnTerminal(Map<String, String> variables, long leash) {
    List<String> line = new ArrayList<>(system.heedingQuit());
    line.addAll(system.dyingWithItsParent());
    line.addAll(List.of("bash", "--posix", "-c", FOREGROUND, "pawl-terminal"));
    line.addAll(system.dyingWithItsParent());
    line.addAll(List.of("bash", "--posix", "-c", JOIN.formatted(leash), "pawl-start"));
    return start(line, variables);
  }

  private Process start(List<String> by, Map<String, String> variables) {
    List<String> line = new ArrayList<>(by);
    line.add(executable.toString());
    line.addAll(arguments.subList(1, arguments.size()));
    ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
    CallersLocale.restore(builder.environment());
    environment.accept(builder.environment());
    builder.environment().putAll(variables);
    try {
      return builder.start();
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("error=7,")) { // Its arguments are too long.
        throw new Refusal(
            ExitCode.NOT_EXECUTABLE, executable + " does not start: " + e.getMessage());
      }
      throw new UncheckedIOException("cannot start " + executable, e); // Nor anything else.
    }
  }
}
