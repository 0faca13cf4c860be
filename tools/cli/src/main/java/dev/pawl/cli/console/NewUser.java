package dev.pawl.cli.console;

import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.console.access.UsersFile;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A line for the file of users. */
final class NewUser {

  private NewUser() {}

  static void print(Screen screen, String name, ConsoleCommand.Role role) {
    if (!UsersFile.isName(name)) {
      throw Refusal.usage("--new-user is " + name + "; " + UsersFile.NAMES);
    }
    char[] password = password();
    if (password.length == 0) {
      throw Refusal.usage("the password is empty");
    }
    screen.print(UsersFile.line(name, dev.pawl.console.access.Role.valueOf(role.name()), password));
  }

  @SuppressWarnings("SystemConsoleNull") // Later Javas have one without a terminal: asked below.
  private static char[] password() {
    Console terminal = System.console();
    if (terminal != null && Screen.isAnswered()) {
      char[] first = terminal.readPassword("Password: ");
      char[] again = terminal.readPassword("Again: ");
      if (first == null || again == null || !java.util.Arrays.equals(first, again)) {
        throw Refusal.usage("the two are not the same; nothing was printed");
      }
      return first;
    }
    try {
      // No terminal, or the output goes into a file: the first line of the input.
      String line =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      return line == null ? new char[0] : line.toCharArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
