package dev.pawl.cli.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The stores that a person has given names, in a file with a line for each: {@code NAME = URL}. The
 * one with the name {@code default} is used where no other is named.
 */
final class Profiles {

  static final String DEFAULT = "default";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]+");

  private final Optional<Path> file;
  private final Map<String, String> urls;

  private Profiles(Optional<Path> file, Map<String, String> urls) {
    this.file = file;
    this.urls = urls;
  }

  /** Reads the file, if there is one. */
  static Profiles read(Map<String, String> environment) {
    Optional<Path> file =
        UserDirectory.configuration(environment).map(directory -> directory.resolve("profiles"));
    return new Profiles(file, file.isPresent() ? read(file.get()) : Map.of());
  }

  private static Map<String, String> read(Path file) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      return Map.of();
    } catch (IOException e) {
      throw Refusal.usage("the profiles in " + file + " cannot be read: " + Failures.reason(e));
    }
    Map<String, String> urls = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      String name = equals < 0 ? "" : line.substring(0, equals).strip();
      String url = line.substring(equals + 1).strip();
      // Not shown: there may be a secret in it.
      if (!NAME.matcher(name).matches() || url.isEmpty()) {
        throw Refusal.usage(
            "line " + (i + 1) + " of " + file + " is no profile; write it like NAME = URL");
      }
      if (urls.put(name, url) != null) {
        throw Refusal.usage("the profile " + name + " is in " + file + " twice");
      }
    }
    return urls;
  }

  /** Returns the URL of a profile, if there is one of that name. */
  Optional<String> find(String name) {
    return Optional.ofNullable(urls.get(name));
  }

  /** Returns the URL of a profile that was asked for. */
  String get(String name) {
    return find(name)
        .orElseThrow(
            () ->
                Refusal.usage(
                    "there is no profile \""
                        + name
                        + "\""
                        + file.map(path -> " in " + path).orElse(": no home directory is known")
                        + (urls.isEmpty()
                            ? "; write a line like " + name + " = redis://localhost into it"
                            : "; there are " + String.join(", ", urls.keySet()))));
  }
}
