package dev.pawl.cli;

import dev.pawl.cli.PawlProcess.Result;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code pawl} inside of this process: for what a command says, where it does not matter that it is
 * a process. It costs nothing, and a process half a second of a core or more. Each kind of command
 * is run as a process somewhere, too.
 */
public final class PawlCommand {

  private PawlCommand() {}

  /**
   * Runs the command on that store, unless its arguments name another; its options end at the first
   * {@code --}.
   */
  public static Result run(String store, String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    if (!line.contains("--store")) {
      int end = line.indexOf("--");
      line.addAll(end < 0 ? line.size() : end, List.of("--store", store));
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] words = line.toArray(String[]::new);
    int code =
        Main.commandLine(words)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(words);
    return new Result(code, out.toString(), err.toString());
  }
}
