package dev.pawl.console.access;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Users with hashed passwords, a line each: {@code NAME:viewer:HASH} or {@code NAME:operator:HASH},
 * the hash by bcrypt. Lines that are empty or begin with {@code #} are left out.
 */
public final class UsersFile {

  /** What a password costs to check: about a quarter of a second. */
  private static final int COST = 12;

  /** What bcrypt looks at; of a longer password the rest would not count. */
  private static final int MOST_BYTES = 72;

  /** What the name of a user is, in words. */
  public static final String NAMES =
      "the name of a user is letters, digits and . _ @ -, 64 at most, and begins with one of the"
          + " first two";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");
  private static final Pattern HASH = Pattern.compile("\\$2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}");

  private final Map<String, Entry> entries;

  /** The hash of a password that nobody has, for names that nobody has: both take as long. */
  private final String nobody = hash("nobody".toCharArray());

  private record Entry(User user, String hash) {}

  private UsersFile(Map<String, Entry> entries) {
    this.entries = entries;
  }

  /**
   * Reads the file.
   *
   * @throws IllegalArgumentException if a line is malformed; the message has its number
   * @throws IOException if it cannot be read
   */
  public static UsersFile read(Path file) throws IOException {
    Map<String, Entry> entries = new HashMap<>();
    List<String> lines;
    try {
      lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(file + " is not text in UTF-8", e);
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        Entry entry = entry(line, file + ", line " + (i + 1));
        if (entries.put(entry.user().name(), entry) != null) {
          throw new IllegalArgumentException(
              file + ", line " + (i + 1) + ": " + entry.user().name() + " is there twice");
        }
      }
    }
    if (entries.isEmpty()) {
      throw new IllegalArgumentException(file + " has no user in it");
    }
    return new UsersFile(entries);
  }

  private static Entry entry(String line, String where) {
    String[] parts = line.split(":", 3);
    if (parts.length < 3
        || !NAME.matcher(parts[0]).matches()
        || !parts[1].matches("viewer|operator")
        || !HASH.matcher(parts[2]).matches()) {
      throw new IllegalArgumentException(
          where
              + " is not NAME:viewer:HASH or NAME:operator:HASH with a hash by bcrypt;"
              + " pawl console --new-user NAME prints such a line");
    }
    Role role = Role.valueOf(parts[1].toUpperCase(Locale.ROOT));
    return new Entry(new User(parts[0], role), parts[2]);
  }

  /** Tells whether a user may have that name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  /** Returns a line for the file. */
  public static String line(String name, Role role, char[] password) {
    if (!isName(name)) {
      throw new IllegalArgumentException(NAMES);
    }
    return name + ":" + role.name().toLowerCase(Locale.ROOT) + ":" + hash(password);
  }

  private static String hash(char[] password) {
    int bytes = new String(password).getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MOST_BYTES) {
      throw new IllegalArgumentException("a password has 1 to " + MOST_BYTES + " bytes");
    }
    return BCrypt.withDefaults().hashToString(COST, password);
  }

  /** Tells whether there is such a user, in that role. */
  boolean has(User user) {
    Entry entry = entries.get(user.name());
    return entry != null && entry.user().equals(user);
  }

  /** Returns the user, if the password is right. */
  Optional<User> check(String name, String password) {
    Entry entry = entries.get(name);
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    boolean allowed = bytes.length > 0 && bytes.length <= MOST_BYTES;
    byte[] looked = allowed ? bytes : Arrays.copyOf("x".getBytes(StandardCharsets.UTF_8), 1);
    byte[] hash = (entry == null ? nobody : entry.hash()).getBytes(StandardCharsets.UTF_8);
    boolean right = BCrypt.verifyer().verify(looked, hash).verified;
    return right && allowed && entry != null ? Optional.of(entry.user()) : Optional.empty();
  }
}
