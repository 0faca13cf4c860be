package dev.pawl.cli.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where the store is, and what tells it to a {@code pawl} inside a command that is run: one that is
 * told nothing would use a file of its own, and lock nobody out.
 *
 * @param url the URL, which may have a secret in it
 * @param inside the variables of the environment that say the same
 * @param isOwnFile whether nobody has named it, so that it is the person's own file
 */
record StoreAddress(String url, Map<String, String> inside, boolean isOwnFile) {

  static final String URL = "PAWL_STORE";
  static final String FILE = "PAWL_STORE_FILE";
  static final String PROFILE = "PAWL_PROFILE";

  /** Says that there is a store, which is not told as its URL has a secret in it. */
  static final String WITHHELD = "PAWL_STORE_WITHHELD";

  /** The URLs of files, up to a path that depends on the working directory. */
  private static final Pattern RELATIVE =
      Pattern.compile(
          "((?:jdbc:)?sqlite:(?:file:)?(?![/:]|file:)|jdbc:h2:(?:file:)?(?=\\.{1,2}/))(.+)");

  StoreAddress {
    inside = Map.copyOf(inside);
    Secrets.hide(url);
  }

  static StoreAddress ofUrl(String url) {
    if (!url.contains(":")) {
      throw Refusal.usage(
          "\"" + url + "\" is no URL of a store; for a SQLite file write sqlite:" + url);
    }
    String fixed = absolute(url);
    return new StoreAddress(
        url, Secrets.isIn(url) ? Map.of(WITHHELD, "1") : Map.of(URL, fixed), false);
  }

  static StoreAddress ofFile(String file) {
    Path path = Path.of(file).toAbsolutePath();
    try {
      for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
        String url = line.strip();
        if (!url.isEmpty() && !url.startsWith("#")) {
          return named(url, Map.of(FILE, path.toString()));
        }
      }
    } catch (IOException e) {
      throw Refusal.usage(
          "the URL of the store cannot be read from " + file + ": " + Failures.reason(e));
    }
    throw Refusal.usage("there is no URL of a store in " + file);
  }

  static StoreAddress ofProfile(String name, Map<String, String> environment) {
    return named(Profiles.read(environment).get(name), Map.of(PROFILE, name));
  }

  /** Returns the store that a file has the URL of: that file says the same, except of a path. */
  private static StoreAddress named(String url, Map<String, String> file) {
    return absolute(url).equals(url) ? new StoreAddress(url, file, false) : ofUrl(url);
  }

  /** Returns what the environment says, or else the profile that is the default one. */
  static StoreAddress ofEnvironment(Map<String, String> environment) {
    Map<String, String> given = new HashMap<>();
    for (String variable : List.of(URL, FILE, PROFILE)) {
      String value = environment.getOrDefault(variable, "");
      if (!value.isBlank()) {
        given.put(variable, value);
      }
    }
    if (given.size() > 1) {
      throw Refusal.usage(
          String.join(" and ", given.keySet().stream().sorted().toList())
              + " are set; keep one of them");
    }
    if (given.containsKey(URL)) {
      return ofUrl(given.get(URL));
    }
    if (given.containsKey(FILE)) {
      return ofFile(given.get(FILE));
    }
    if (given.containsKey(PROFILE)) {
      return ofProfile(given.get(PROFILE), environment);
    }
    if (environment.containsKey(WITHHELD)) {
      throw Refusal.usage(
          "the store of the pawl run around this command was not handed on, as its URL has a secret"
              + " in it; name it here with --store-file or --profile, or there");
    }
    Optional<String> url = Profiles.read(environment).find(Profiles.DEFAULT);
    return url.isPresent()
        ? named(url.get(), Map.of(PROFILE, Profiles.DEFAULT))
        : ofOwnFile(environment);
  }

  private static StoreAddress ofOwnFile(Map<String, String> environment) {
    Path directory =
        UserDirectory.data(environment)
            .orElseThrow(
                () ->
                    Refusal.usage(
                        "no store is named, and this user has no home directory to keep locks in;"
                            + " name a store with --store or "
                            + URL
                            + ", or set HOME or XDG_DATA_HOME"));
    String url = "sqlite:" + directory.resolve("locks.db");
    return new StoreAddress(url, Map.of(URL, url), true);
  }

  /** Puts what tells the store into the environment of a command, in the place of all else. */
  void putInto(Map<String, String> environment, boolean withSecret) {
    environment.keySet().removeAll(List.of(URL, FILE, PROFILE, WITHHELD));
    environment.putAll(withSecret && inside.containsKey(WITHHELD) ? Map.of(URL, url) : inside);
  }

  /** Returns the URL in a form that means the same in every working directory. */
  private static String absolute(String url) {
    return parts(url).stream().map(StoreAddress::absolutePart).collect(Collectors.joining(" | "));
  }

  private static String absolutePart(String url) {
    Matcher matcher = RELATIVE.matcher(url);
    return matcher.matches()
        ? matcher.group(1) + Path.of("").toAbsolutePath().resolve(matcher.group(2))
        : url;
  }

  /** Returns the URLs of a pair of stores, {@code PRIMARY | BACKUP}; of any other store its own. */
  static List<String> parts(String url) {
    return List.of(url.split("\\s+\\|\\s+", -1));
  }

  /** Returns the URL for a process that is soon gone: it has no say in where the locks are. */
  String urlOfCommand() {
    return parts(url).size() > 1 ? url + " | vote=no" : url;
  }

  /** Tells whether all is in a file of this host. */
  boolean isFile() {
    return parts(url).stream().allMatch(part -> part.contains("sqlite:"));
  }
}
