package dev.pawl.cli.console;

import dev.pawl.cli.look.Confirmation;
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
import dev.pawl.console.access.Proxies;
import dev.pawl.console.access.ProxyAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import dev.pawl.console.access.UsersFile;
import dev.pawl.console.server.ConsoleServer;
import dev.pawl.console.server.TlsKeys;
import dev.pawl.console.watch.OpenStore;
import dev.pawl.console.watch.StoreWatch;
import dev.pawl.console.watch.Trouble;
import dev.pawl.spi.Finding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
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
    OpenStore open = OpenStore.by(() -> store.look("console"), store.shownUrl());
    Set<String> hosts = new HashSet<>(options.hosts);
    ConsoleServlet servlet =
        new ConsoleServlet(new StoreWatch(open), access, sessions, Hosts.of(hosts));
    try (ConsoleServer server = ConsoleServer.start(servlet, address, options.port, tls)) {
      screen.remark(state(open) + " Ctrl-C ends it. Open:");
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

  /** Says whether there is something to see; the page goes on by itself when there is. */
  private static String state(OpenStore open) {
    String name = open.describe();
    Trouble trouble = open.trouble();
    if (trouble != null) {
      return "the store cannot be reached: "
          + trouble.message()
          + "; the console shows it as soon as it answers.";
    }
    if (open.isAbsent()) {
      return name + " does not exist yet: " + whyAbsent(open) + ". The console shows it then.";
    }
    return "the console of " + name + " is ready.";
  }

  private static String whyAbsent(OpenStore open) {
    return open
        .store()
        .examine()
        .toCompletableFuture()
        .handle((all, e) -> e == null ? all : List.<Finding>of())
        .join()
        .stream()
        .filter(finding -> finding.level() != Finding.Level.FINE)
        .map(finding -> finding.what() + "; " + finding.remedy())
        .findFirst()
        .orElse("the first lock creates it");
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
      if (!options.operators.isEmpty()) {
        throw Refusal.usage("--operators belongs to --proxy-header; --users has roles of its own");
      }
      try {
        return new PasswordAccess(UsersFile.read(options.users), new Proxies(proxies()));
      } catch (IOException e) {
        throw Refusal.usage("cannot read the users in " + options.users + ": " + reason(e));
      }
    }
    if (options.proxyHeader != null) {
      if (options.proxies.isEmpty()) {
        throw Refusal.usage("--proxy-header needs --proxies: which of them to believe");
      }
      return new ProxyAccess(options.proxyHeader, proxies(), Set.copyOf(options.operators));
    }
    if (!options.proxies.isEmpty() || !options.operators.isEmpty()) {
      throw Refusal.usage(
          "--proxies belongs to --proxy-header or --users, --operators to the first");
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

  private List<AddressRange> proxies() {
    return options.proxies.stream().map(AddressRange::parse).toList();
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
      TlsKeys keys = new TlsKeys(keystore, password);
      var unused = keys.read(); // What is wrong with it is said before anything is started.
      return Optional.of(keys);
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
