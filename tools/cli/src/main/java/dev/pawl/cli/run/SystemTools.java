package dev.pawl.cli.run;

import dev.pawl.cli.shell.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a system has to start a command with.
 *
 * @param heedingQuit what undoes that a JVM has its children block QUIT; may be nothing
 * @param dyingWithItsParent what has a command killed when its parent ends; may be nothing
 */
record SystemTools(List<String> heedingQuit, List<String> dyingWithItsParent) {

  private static final List<String> ENV = List.of("env", "--default-signal=QUIT");
  private static final List<String> SETPRIV = List.of("setpriv", "--pdeathsig", "KILL", "--");
  private static final List<String> SETSID = List.of("setsid");

  /** As the leash is started; {@link Leash} has more words. */
  private static final List<String> BASH =
      List.of("bash", "--posix", "-p", "-c", "exec \"$@\"", "bash");

  /**
   * Looks for them; all at once, since a process takes a while.
   *
   * @throws Refusal if what cannot be done without is missing
   */
  static SystemTools find() {
    if (work(List.of(ENV, SETPRIV, SETSID, BASH))) {
      return new SystemTools(ENV, SETPRIV);
    }
    if (!work(List.of(SETSID))) {
      throw Refusal.usage(
          "pawl run needs setsid, of util-linux, to give the command a process group of its own");
    }
    if (!work(List.of(BASH))) {
      throw Refusal.usage("pawl run needs bash, to end a command in time");
    }
    return new SystemTools(
        work(List.of(ENV)) ? ENV : List.of(), work(List.of(SETPRIV)) ? SETPRIV : List.of());
  }

  private static boolean work(List<List<String>> prefixes) {
    List<String> command =
        Stream.concat(prefixes.stream().flatMap(List::stream), Stream.of("true")).toList();
    try {
      return new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("error=2,")) { // There, but not to be started.
        throw new UncheckedIOException("no process can be started", e);
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
