package dev.pawl.cli.look;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** How a person confirms what cannot be taken back, and who that is: why, and yes. */
public final class Confirmation {

  @Option(
      names = {"-r", "--reason"},
      paramLabel = "TEXT",
      description = "Why, for those who read the journal; needed for whatever changes something.")
  private String reason = "";

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask.")
  private boolean yes;

  /**
   * Refuses what nobody gives a reason for, or nobody can be asked about.
   *
   * @param does what happens without asking: {@code releases}
   */
  void check(String does) {
    if (reason.isBlank()) {
      throw Refusal.usage("--reason is missing; say why, for those who read the journal");
    }
    if (!yes && !Screen.isAnswered()) {
      throw Refusal.usage(
          "the input is no terminal, so nobody can confirm it; --yes " + does + " without asking");
    }
  }

  /** Tells whether any of it is given. */
  boolean isGiven() {
    return yes || !reason.isEmpty();
  }

  boolean isYes() {
    return yes;
  }

  String reason() {
    return reason;
  }

  /**
   * Says what is the case, asks, and refuses if the answer is not yes; nothing of it with {@code
   * --yes}.
   */
  void ask(Screen screen, String situation, String question, String otherwise) {
    if (yes) {
      return;
    }
    screen.remark(situation);
    screen.ask(question + " [y/N]");
    try {
      String answer =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).matches("y|yes")) {
        throw new Refusal(ExitCode.NO, otherwise);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns who decides it, for the journal; behind {@code sudo} the person, not root. */
  public static String operator(Map<String, String> environment) {
    String person = environment.getOrDefault("SUDO_USER", "");
    if (person.isBlank()) {
      person = environment.getOrDefault("USER", "");
    }
    if (person.isBlank()) {
      person = account();
    }
    return person + "@" + StoreOption.host();
  }

  /** Returns the user's name, or the number of one who has none, as in a container. */
  private static String account() {
    String name = System.getProperty("user.name", "?");
    try {
      return name.equals("?")
          ? String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
          : name;
    } catch (IOException | UnsupportedOperationException e) {
      return name;
    }
  }
}
