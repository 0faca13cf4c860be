package dev.pawl.cli.console;

import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pawl console}: who holds what, in the browser, and the way to step in. */
@Command(
    name = "console",
    description = "Serve a page that shows locks, jobs and nodes live, and lets you step in.",
    footer = {
      "",
      "It prints the address to open, and runs until Ctrl-C. On this host alone, the address has a"
          + " secret in it that lets you in. To listen on another address, name users (--users) or"
          + " the proxy that knows them (--proxy-header, --proxies).",
      "",
      "Examples:",
      "  pawl console --store redis://localhost",
      "  pawl console --new-user alice --role operator >> users",
      "  pawl console --bind 0.0.0.0 --host locks.example.com --users users --tls-keystore k.p12"
    })
public final class ConsoleCommand implements Runnable {

  /** What a key pad writes for PAWL. */
  static final int DEFAULT_PORT = 7295;

  /** Who may do what. */
  enum Role {
    VIEWER,
    OPERATOR;

    @Override
    public String toString() {
      return this == VIEWER ? "viewer" : "operator";
    }
  }

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();

  @Option(
      names = {"-p", "--port"},
      paramLabel = "N",
      description = "The port to listen on; 0 for any (default: ${DEFAULT-VALUE}).")
  int port = DEFAULT_PORT;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The address to listen on (default: ${DEFAULT-VALUE}).")
  String bind = "127.0.0.1";

  @Option(
      names = "--host",
      paramLabel = "NAME",
      split = ",",
      description = "Names under which browsers may ask for it, beside localhost and addresses.")
  List<String> hosts = List.of();

  @Option(
      names = "--users",
      paramLabel = "FILE",
      description = "Users with hashed passwords: lines as --new-user prints them.")
  @Nullable Path users;

  @Option(
      names = "--proxy-header",
      paramLabel = "HEADER",
      description = "The header in which a reverse proxy says who it is; needs --proxies.")
  @Nullable String proxyHeader;

  @Option(
      names = "--proxies",
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "The proxies that are believed: addresses, or ranges such as 10.0.0.0/24. With --users:"
              + " that they say who asks (X-Forwarded-For), and by https (X-Forwarded-Proto).")
  List<String> proxies = List.of();

  @Option(
      names = "--operators",
      paramLabel = "USER",
      split = ",",
      description = "The users of a proxy who may step in; all others only look.")
  List<String> operators = List.of();

  @Option(names = "--read-only", description = "Whoever opens the printed address only looks.")
  boolean readOnly;

  @Option(
      names = "--session",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "8h",
      description = "How long somebody stays signed in (default: ${DEFAULT-VALUE}).")
  Duration session = Duration.ofHours(8);

  @Option(
      names = "--session-key",
      paramLabel = "FILE",
      description =
          "A file with at least 32 random bytes: sessions then outlive a restart, and several"
              + " consoles share them.")
  @Nullable Path sessionKey;

  @Option(
      names = "--tls-keystore",
      paramLabel = "FILE",
      description = "A key store (PKCS 12) with the key and certificate for https.")
  @Nullable Path tlsKeystore;

  @Option(
      names = "--tls-password-file",
      paramLabel = "FILE",
      description = "The file with the password of the key store, in its first line.")
  @Nullable Path tlsPassword;

  @Option(
      names = "--new-user",
      paramLabel = "NAME",
      description = "Ask for a password, print a line for --users, and end.")
  @Nullable String newUser;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description = "The role of the new user: ${COMPLETION-CANDIDATES} (default: viewer).")
  @Nullable Role role;

  @Override
  public void run() {
    // Apart from here, so that no other command loads a web server.
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    if (newUser != null) {
      NewUser.print(screen, newUser, role == null ? Role.VIEWER : role);
    } else if (role != null) {
      throw Refusal.usage("--role belongs to --new-user");
    } else {
      new ConsoleRun(this, store, screen).run();
    }
  }
}
