package dev.pawl.cli.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The arguments as the shell gave them, in bytes. Java has read them by the locale, and what is no
 * character there became another: two names would be one, and a command would get what nobody
 * wrote. Such arguments are refused.
 */
final class Arguments {

  private static final Path BYTES = Path.of("/proc/self/cmdline");

  /** What Java makes of bytes that are no character. */
  private static final char REPLACEMENT = '\ufffd';

  private Arguments() {}

  /** Returns what is wrong with the arguments, if anything is. */
  static Optional<String> problem(String... arguments) {
    Optional<List<byte[]>> given = given(arguments.length);
    for (int i = 0; i < arguments.length; i++) {
      boolean intact =
          given.isPresent()
              ? Arrays.equals(arguments[i].getBytes(StandardCharsets.UTF_8), given.get().get(i))
              : arguments[i].indexOf(REPLACEMENT) < 0;
      if (!intact) {
        return Optional.of(problem(i + 1, arguments[i]));
      }
    }
    return Optional.empty();
  }

  private static String problem(int number, String argument) {
    String encoding = System.getProperty("sun.jnu.encoding", "");
    return "argument "
        + number
        + ", \""
        + argument
        + "\", "
        + (encoding.equalsIgnoreCase("UTF-8")
            ? "is not UTF-8, and would not arrive as it is; put it into a script, and run that"
            : "cannot be read in the encoding of the locale, " + encoding + "; set LC_ALL=C.UTF-8");
  }

  /** Returns the last arguments of this process, where the system shows them. */
  private static Optional<List<byte[]>> given(int count) {
    byte[] all;
    try {
      all = Files.readAllBytes(BYTES);
    } catch (IOException e) {
      return Optional.empty();
    }
    List<byte[]> each = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < all.length; i++) {
      if (all[i] == 0) {
        each.add(Arrays.copyOfRange(all, start, i));
        start = i + 1;
      }
    }
    return each.size() < count
        ? Optional.empty()
        : Optional.of(each.subList(each.size() - count, each.size()));
  }
}
