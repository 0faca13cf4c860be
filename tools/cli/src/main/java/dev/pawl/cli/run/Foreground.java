package dev.pawl.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Our place on the controlling terminal, as {@code /proc} shows it. */
final class Foreground {

  private static final int GROUP = 0;
  private static final int TERMINAL = 2;
  private static final int FOREGROUND = 3;

  private Foreground() {}

  /**
   * Tells whether the terminal is ours to give away: we are alone in its foreground group, as an
   * interactive shell starts a single command. Others of the group, such as a pager at the end of a
   * pipe, or a script that heeds Ctrl-C, would lose it too.
   */
  static boolean isOursAlone() {
    try {
      long[] place = place();
      return place[TERMINAL] != 0
          && place[FOREGROUND] == place[GROUP]
          && place[GROUP] == ProcessHandle.current().pid()
          && new ProcessGroup(place[GROUP]).members().size() == 1;
    } catch (IOException e) {
      return false;
    }
  }

  /** Tells whether others have the terminal: whoever reads from it now is stopped. */
  static boolean isElsewhere() {
    try {
      long[] place = place();
      return place[TERMINAL] != 0 && place[FOREGROUND] != place[GROUP];
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns our group, session and terminal, and the group that has the terminal. */
  private static long[] place() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 7);
    return Stream.of(fields).skip(2).limit(4).mapToLong(Long::parseLong).toArray();
  }
}
