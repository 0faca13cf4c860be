package dev.pawl.cli.console;

import dev.pawl.cli.shell.ExitCode;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.ConsoleServlet;
import dev.pawl.console.Hosts;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.server.ConsoleServer;
import dev.pawl.console.server.TlsKeys;
import dev.pawl.console.watch.OpenStore;
import dev.pawl.console.watch.StoreWatch;
import dev.pawl.console.watch.Trouble;
import dev.pawl.spi.Finding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

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
    ConsoleGuard guard = new ConsoleGuard(options, screen);
    Access access = guard.access(address);
    Optional<TlsKeys> tls = guard.tls();
    Sessions sessions = guard.sessions();
    Hosts hosts = guard.hosts();
    if (store.url().startsWith("memory:")) {
      throw Refusal.usage(
          "memory: is the memory of one process, and in this one nobody takes a lock; an"
              + " application shows its own by pawl-console");
    }
    OpenStore open = OpenStore.by(() -> store.look("console"), store.shownUrl());
    ConsoleServlet servlet = new ConsoleServlet(new StoreWatch(open), access, sessions, hosts);
    try (ConsoleServer server = ConsoleServer.start(servlet, address, options.port, tls)) {
      screen.remark(state(open) + " Ctrl-C ends it. Open:");
      screen.print(
          access instanceof LinkAccess link
              ? server.url() + "open?token=" + link.token()
              : url(server, address));
      if (access instanceof PasswordAccess && tls.isEmpty() && !address.isLoopbackAddress()) {
        screen.remark(
            "passwords cross the network as they are: use --tls-keystore, or a proxy with TLS");
      }
      server.join();
    } catch (IOException e) {
      throw new Refusal(
          ExitCode.UNAVAILABLE,
          "cannot listen on " + address.getHostAddress() + " port " + options.port + ": " + why(e));
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

  /** Returns where to open it: by a name that browsers may use, if one is known. */
  private String url(ConsoleServer server, InetAddress address) {
    if (!options.hosts.isEmpty()) {
      return server.url(options.hosts.get(0));
    }
    return address.isAnyLocalAddress() ? server.url("localhost") : server.url();
  }

  /** Returns what the operating system says; the server's own words repeat the address. */
  private static String why(IOException failure) {
    String cause =
        ConsoleGuard.reason(failure.getCause() instanceof IOException own ? own : failure);
    return cause.contains("assign")
        ? cause + "; --bind has to be an address of this host"
        : cause + "; --port 0 takes any that is free";
  }
}
