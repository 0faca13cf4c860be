package dev.pawl.cli.console;

import dev.pawl.cli.look.ReleaseCommand;
import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.ConsoleServlet;
import dev.pawl.console.Hosts;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.AddressRange;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.ProxyAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import dev.pawl.console.access.UsersFile;
import dev.pawl.console.server.ConsoleServer;
import dev.pawl.console.server.TlsKeys;
import dev.pawl.console.watch.OpenStore;
import dev.pawl.console.watch.StoreWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The console, from its options until it is interrupted. */
final class ConsoleRun {

  private final ConsoleCommand options;
  private final StoreOption store;
  private final Screen screen;

  ConsoleRun(ConsoleCommand options, StoreOption store, Screen screen) {
    this.options = options;
    this.store = store;
    this.screen = screen;
  }

  void run() {
    InetAddress address = address();
    Access access = access(address);
    Optional<TlsKeys> tls = tls();
    Sessions sessions = new Sessions(key(), options.session, Clock.systemUTC());
    OpenStore open = OpenStore.by(() -> store.look("console"));
    Set<String> hosts = new HashSet<>(options.hosts);
    ConsoleServlet servlet =
        new ConsoleServlet(new StoreWatch(open), access, sessions, Hosts.of(hosts));
    try (ConsoleServer server = ConsoleServer.start(servlet, address, options.port, tls)) {
      screen.remark("the console of " + open.describe() + " is ready; Ctrl-C ends it. Open:");
      screen.print(
          access instanceof LinkAccess link
              ? server.url() + "open?token=" + link.token()
              : server.url());
      if (access instanceof PasswordAccess && tls.isEmpty() && !address.isLoopbackAddress()) {
        screen.remark(
            "passwords cross the network as they are: use --tls-keystore, or a proxy with TLS");
      }
      server.join();
    } catch (IOException e) {
      throw new Refusal(
          ExitCode.UNAVAILABLE,
          "cannot listen on "
              + address.getHostAddress()
              + " port "
              + options.port
              + ": "
              + cause(e)
              + "; --port 0 takes any that is free");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private InetAddress address() {
    if (options.port < 0 || options.port > 65_535) {
      throw Refusal.usage("--port is " + options.port + "; allowed is 0 to 65535");
    }
    try {
      return InetAddress.getAllByName(options.bind)[0];
    } catch (UnknownHostException e) {
      throw Refusal.usage("--bind is " + options.bind + ", which is no address of this host");
    }
  }

  private Access access(InetAddress address) {
    if (options.users != null && options.proxyHeader != null) {
      throw Refusal.usage("--users and --proxy-header exclude each other");
    }
    if (options.users != null) {
      try {
        return new PasswordAccess(UsersFile.read(options.users));
      } catch (IOException e) {
        throw Refusal.usage("cannot read the users in " + options.users + ": " + reason(e));
      }
    }
    if (options.proxyHeader != null) {
      if (options.proxies.isEmpty()) {
        throw Refusal.usage("--proxy-header needs --proxies: which of them to believe");
      }
      return new ProxyAccess(
          options.proxyHeader,
          options.proxies.stream().map(AddressRange::parse).toList(),
          Set.copyOf(options.operators));
    }
    if (!options.proxies.isEmpty() || !options.operators.isEmpty()) {
      throw Refusal.usage("--proxies and --operators belong to --proxy-header");
    }
    if (!address.isLoopbackAddress()) {
      throw Refusal.usage(
          "on "
              + options.bind
              + " others can come: say who they are with --users, or with --proxy-header and"
              + " --proxies");
    }
    Role role = options.readOnly ? Role.VIEWER : Role.OPERATOR;
    return new LinkAccess(new User(ReleaseCommand.operator(System.getenv()), role));
  }

  private byte[] key() {
    if (options.sessionKey == null) {
      return Sessions.newKey();
    }
    try {
      return Files.readAllBytes(options.sessionKey);
    } catch (IOException e) {
      throw Refusal.usage("cannot read the key in " + options.sessionKey + ": " + reason(e));
    }
  }

  private Optional<TlsKeys> tls() {
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
      if (!Files.isReadable(keystore)) {
        throw Refusal.usage("cannot read the key store " + keystore);
      }
      return Optional.of(new TlsKeys(keystore, password));
    } catch (IOException e) {
      throw Refusal.usage("cannot read " + options.tlsPassword + ": " + reason(e));
    }
  }

  /** Returns what the operating system says; the server's own words repeat the address. */
  private static String cause(IOException failure) {
    return failure.getCause() instanceof IOException cause ? reason(cause) : reason(failure);
  }

  private static String reason(IOException failure) {
    return failure instanceof java.nio.file.NoSuchFileException
        ? "there is no such file"
        : String.valueOf(failure.getMessage());
  }
}
