package dev.pawl.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Our place on the controlling terminal, as {@code /proc} shows it. */
final class Foreground {

  private Foreground() {}

  /**
   * Tells whether the terminal is ours to give away: we are alone in its foreground group, as an
   * interactive shell starts a single command. Others of the group, such as a pager at the end of a
   * pipe, or a script that heeds Ctrl-C, would lose it too.
   */
  static boolean isOursAlone() {
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 7);
      long group = Long.parseLong(fields[2]);
      boolean hasTerminal = !fields[4].equals("0");
      return hasTerminal
          && Long.parseLong(fields[5]) == group
          && group == ProcessHandle.current().pid()
          && new ProcessGroup(group).members().size() == 1;
    } catch (IOException e) {
      return false;
    }
  }
}
