package dev.pawl.cli.shell;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The directories of the person who calls, as the XDG specification has them: by a variable, by
 * {@code HOME}, by the entry in {@code passwd}. A container's numeric user may have none of these;
 * then there is none, and never one that depends on the working directory.
 */
final class UserDirectory {

  private UserDirectory() {}

  /** Returns where data is kept. */
  static Optional<Path> data(Map<String, String> environment) {
    return find(environment, "XDG_DATA_HOME", ".local/share");
  }

  /** Returns where settings are kept. */
  static Optional<Path> configuration(Map<String, String> environment) {
    return find(environment, "XDG_CONFIG_HOME", ".config");
  }

  private static Optional<Path> find(
      Map<String, String> environment, String variable, String underHome) {
    return absolute(environment.getOrDefault(variable, ""))
        .or(
            () ->
                absolute(environment.getOrDefault("HOME", ""))
                    // Of passwd; a question mark where it has no entry.
                    .or(() -> absolute(System.getProperty("user.home", "")))
                    .map(home -> home.resolve(underHome)))
        .map(base -> base.resolve("pawl"));
  }

  private static Optional<Path> absolute(String text) {
    return text.startsWith("/") ? Optional.of(Path.of(text)) : Optional.empty();
  }
}
