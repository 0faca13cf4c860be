package dev.pawl.cli.console;

import dev.pawl.cli.look.Confirmation;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.console.Hosts;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.AddressRange;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Proxies;
import dev.pawl.console.access.ProxyAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import dev.pawl.console.access.UsersFile;
import dev.pawl.console.server.TlsKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Who may come in, and how, by the options of the command. */
final class ConsoleGuard {

  private static final Duration SHORTEST_SESSION = Duration.ofSeconds(1);
  private static final Duration LONGEST_SESSION = Duration.ofDays(365);

  /** What HTTP calls a token. */
  private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+");

  private final ConsoleCommand options;
  private final Screen screen;

  ConsoleGuard(ConsoleCommand options, Screen screen) {
    this.options = options;
    this.screen = screen;
  }

  /** Returns how it knows who asks; refuses to let anybody in who comes from elsewhere. */
  Access access(InetAddress address) {
    requireTogether();
    if (options.users != null) {
      return new PasswordAccess(users(options.users), new Proxies(proxies()));
    }
    if (options.proxyHeader != null) {
      return new ProxyAccess(options.proxyHeader, proxies(), Set.copyOf(options.operators));
    }
    if (!address.isLoopbackAddress()) {
      throw Refusal.usage(
          "on "
              + options.bind
              + " others can come: say who they are with --users, or with --proxy-header and"
              + " --proxies");
    }
    Role role = options.readOnly ? Role.VIEWER : Role.OPERATOR;
    return new LinkAccess(new User(Confirmation.operator(System.getenv()), role));
  }

  /** Refuses options that would do nothing: whoever gives one counts on it. */
  private void requireTogether() {
    boolean byUsers = options.users != null;
    boolean byHeader = options.proxyHeader != null;
    if (byUsers && byHeader) {
      throw Refusal.usage("--users and --proxy-header exclude each other");
    }
    if (byUsers && !options.operators.isEmpty()) {
      throw Refusal.usage("--operators belongs to --proxy-header; --users has roles of its own");
    }
    if (byHeader && options.proxies.isEmpty()) {
      throw Refusal.usage("--proxy-header needs --proxies: which of them to believe");
    }
    if (!byUsers && !byHeader && !(options.proxies.isEmpty() && options.operators.isEmpty())) {
      throw Refusal.usage(
          "--proxies belongs to --proxy-header or --users, --operators to the first");
    }
    if (options.readOnly && (byUsers || byHeader)) {
      throw Refusal.usage(
          "--read-only is for whoever opens the printed address; "
              + (byUsers ? "--users has roles of its own" : "without --operators all only look"));
    }
    if (options.proxyHeader != null && !HEADER.matcher(options.proxyHeader).matches()) {
      throw Refusal.usage("--proxy-header is " + options.proxyHeader + ", which is no header");
    }
    if (options.tlsPassword != null && options.tlsKeystore == null) {
      throw Refusal.usage("--tls-password-file opens --tls-keystore, which is missing");
    }
  }

  Hosts hosts() {
    for (String host : options.hosts) {
      if (!HOST.matcher(host).matches()) {
        throw Refusal.usage(
            "--host is " + host + "; it is the name alone, such as locks.example.com");
      }
    }
    return Hosts.of(Set.copyOf(options.hosts));
  }

  Sessions sessions() {
    Duration lifetime = options.session;
    if (lifetime.compareTo(SHORTEST_SESSION) < 0 || lifetime.compareTo(LONGEST_SESSION) > 0) {
      throw Refusal.usage("--session is " + Durations.format(lifetime) + "; allowed is 1s to 365d");
    }
    Path file = options.sessionKey;
    if (file == null) {
      return new Sessions(Sessions.newKey(), lifetime, Clock.systemUTC());
    }
    try {
      byte[] key = Files.readAllBytes(file);
      Sessions sessions = new Sessions(key, lifetime, Clock.systemUTC());
      warn(file, PosixFilePermission.OTHERS_READ, "read", "make sessions of any user", "o-r");
      return sessions;
    } catch (IOException e) {
      throw Refusal.usage("cannot read the key in " + file + ": " + reason(e));
    } catch (IllegalArgumentException e) {
      throw Refusal.usage(file + ": " + e.getMessage() + "; head -c 32 /dev/urandom makes one");
    }
  }

  Optional<TlsKeys> tls() {
    Path keystore = options.tlsKeystore;
    if (keystore == null) {
      return Optional.empty();
    }
    try {
      String password =
          options.tlsPassword == null
              ? ""
              : Files.readString(options.tlsPassword, StandardCharsets.UTF_8)
                  .lines()
                  .findFirst()
                  .orElse("");
      TlsKeys keys = new TlsKeys(keystore, password);
      var unused = keys.read(); // What is wrong with it is said before anything is started.
      return Optional.of(keys);
    } catch (IOException e) {
      throw Refusal.usage("cannot read " + options.tlsPassword + ": " + reason(e));
    }
  }

  private UsersFile users(Path file) {
    try {
      UsersFile users = UsersFile.read(file);
      warn(file, PosixFilePermission.OTHERS_WRITE, "write", "add themselves as operators", "o-w");
      return users;
    } catch (IOException e) {
      throw Refusal.usage("cannot read the users in " + file + ": " + reason(e));
    }
  }

  private List<AddressRange> proxies() {
    return options.proxies.stream().map(AddressRange::parse).toList();
  }

  /** Warns of a file with which others on this host get in; where files have such permissions. */
  private void warn(
      Path file, PosixFilePermission permission, String may, String and, String remedy)
      throws IOException {
    try {
      if (Files.getPosixFilePermissions(file).contains(permission)) {
        screen.remark(
            "everybody on this host may %s %s, and so %s: chmod %s %s"
                .formatted(may, file, and, remedy, file));
      }
    } catch (UnsupportedOperationException e) {
      return; // Not a file system with such permissions.
    }
  }

  /** Returns what is wrong with a file; in the words of the exception it would be its name. */
  static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    }
    return failure instanceof AccessDeniedException
        ? "permission denied"
        : String.valueOf(failure.getMessage());
  }
}
