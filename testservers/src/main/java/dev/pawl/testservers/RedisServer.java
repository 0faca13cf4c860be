package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** One Redis server without persistence, on a free port of this machine. */
public final class RedisServer implements AutoCloseable {

  private static final Duration A_WHILE = Duration.ofSeconds(5);

  private final List<String> command;
  private final int port;
  private final int tlsPort;
  private final Path directory;
  private ServerProcess process;

  private RedisServer(List<String> command, int port, int tlsPort, Path directory) {
    this.command = command;
    this.port = port;
    this.tlsPort = tlsPort;
    this.directory = directory;
    this.process = launch();
    awaitReady();
  }

  /** Starts the server of the jar, with options such as {@code --appendonly yes}. */
  public static RedisServer start(String... options) {
    return startWith(RedisBinary.bundled(), options);
  }

  /** Starts a given {@code redis-server}. */
  public static RedisServer startWith(String binary, String... options) {
    return startWith(binary, Optional.empty(), List.of(options));
  }

  /** Starts a given {@code redis-server} that speaks TLS too, on a port of its own. */
  public static RedisServer startTls(String binary, TlsIdentity identity, String... options) {
    return startWith(binary, Optional.of(identity), List.of(options));
  }

  static RedisServer startWith(
      String binary, Optional<TlsIdentity> identity, List<String> options) {
    Path directory = newDirectory();
    return ServerStart.onFreePort(port -> onPort(port, directory, binary, identity, options));
  }

  static RedisServer onPort(
      int port,
      Path directory,
      String binary,
      Optional<TlsIdentity> identity,
      List<String> options) {
    int tlsPort = tlsPort(identity);
    List<String> command =
        new ArrayList<>(List.of(binary, "--port", "" + port, "--bind", "127.0.0.1"));
    command.addAll(List.of("--save", "", "--dir", directory.toString()));
    identity.ifPresent(
        shown -> tls(shown, tlsPort).forEach((k, v) -> command.addAll(List.of("--" + k, v))));
    command.addAll(options);
    return new RedisServer(command, port, tlsPort, directory);
  }

  private static int tlsPort(Optional<TlsIdentity> identity) {
    return identity.isPresent() ? ServerStart.freePort() : 0;
  }

  private static Map<String, String> tls(TlsIdentity identity, int port) {
    return Map.of(
        "tls-port",
        "" + port,
        "tls-cert-file",
        identity.certificate().toString(),
        "tls-key-file",
        identity.key().toString(),
        "tls-ca-cert-file",
        identity.certificate().toString(),
        "tls-auth-clients",
        "no");
  }

  /**
   * Starts a Sentinel that watches a master under the name {@code pawl}.
   *
   * @param patience for how long it waits for a silent master before it takes it for dead
   */
  static RedisServer startSentinel(
      String binary,
      Optional<TlsIdentity> identity,
      int masterPort,
      int quorum,
      Duration patience) {
    Path directory = newDirectory();
    return ServerStart.onFreePort(
        port -> sentinel(port, directory, binary, identity, masterPort, quorum, patience));
  }

  private static RedisServer sentinel(
      int port,
      Path directory,
      String binary,
      Optional<TlsIdentity> identity,
      int masterPort,
      int quorum,
      Duration patience) {
    int tlsPort = tlsPort(identity);
    Path config = directory.resolve("sentinel.conf");
    StringBuilder text = new StringBuilder();
    identity.ifPresent(
        shown -> {
          tls(shown, tlsPort).forEach((k, v) -> text.append(k).append(' ').append(v).append('\n'));
          text.append("tls-replication yes\n"); // How a Sentinel talks to servers and others.
        });
    text.append(
        """
        port %d
        bind 127.0.0.1
        dir %s
        sentinel monitor pawl 127.0.0.1 %d %d
        sentinel down-after-milliseconds pawl %d
        sentinel failover-timeout pawl 5000
        """
            .formatted(port, directory, masterPort, quorum, patience.toMillis()));
    try {
      Files.writeString(config, text.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RedisServer(
        List.of(binary, config.toString(), "--sentinel"), port, tlsPort, directory);
  }

  static Path newDirectory() {
    try {
      return Files.createTempDirectory("pawl-redis-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ServerProcess launch() {
    ServerProcess started = ServerProcess.start(command, Map.of(), directory.resolve("output.log"));
    started.awaitPort(port);
    return started;
  }

  private void awaitReady() {
    awaitUntil(this::isReady);
  }

  /** Waits until that is so, for as long as the server runs. */
  void awaitUntil(BooleanSupplier condition) {
    process.awaitUntil(condition);
  }

  /** Tells whether this server, and not another that has the port, answers and has its data. */
  private boolean isReady() {
    try {
      call("PING"); // INFO is answered while it still loads.
      return call("INFO", "server").toString().contains("process_id:" + process.pid() + "\r\n");
    } catch (UncheckedIOException e) {
      return false;
    } catch (IllegalStateException e) {
      return isWord(e, "NOAUTH");
    }
  }

  private static boolean isWord(IllegalStateException answer, String word) {
    return String.valueOf(answer.getMessage()).startsWith(word);
  }

  static boolean answers(int port) {
    try (RespClient client = new RespClient(port, A_WHILE)) {
      client.call("PING");
      return true;
    } catch (UncheckedIOException e) {
      return false;
    } catch (IllegalStateException e) {
      return !isWord(e, "LOADING");
    }
  }

  /** Returns its port. */
  public int port() {
    return port;
  }

  /** Returns its port for TLS. */
  public int tlsPort() {
    return tlsPort;
  }

  /** Returns the port that others are to use: that for TLS, if it has one. */
  int preferredPort() {
    return tlsPort == 0 ? port : tlsPort;
  }

  /** Returns the URL of it. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Returns servers by one of their ports, as they stand in a URL. */
  static String hosts(List<RedisServer> servers, ToIntFunction<RedisServer> port) {
    return servers.stream()
        .map(server -> "127.0.0.1:" + port.applyAsInt(server))
        .collect(Collectors.joining(","));
  }

  /** Stops it in its tracks, connections open. */
  public void pause() {
    process.pause();
  }

  /** Lets it go on. */
  public void resume() {
    process.resume();
  }

  /** Ends it as a crash would. */
  public void kill() {
    process.kill();
  }

  /** Starts it again after {@link #kill()}, with what it had saved; it was told to save nothing. */
  public void startAgain() {
    startAgainLoading();
    awaitReady();
  }

  /** Starts it again, and does not wait until it has loaded its data. */
  public void startAgainLoading() {
    process = ServerStart.onItsPort(this::launch);
  }

  /** Sends it one command. */
  public Object call(String... words) {
    try (RespClient client = new RespClient(port)) {
      return Objects.requireNonNullElse(client.call(words), "");
    }
  }

  /** Returns how many times each command was called since the last {@link #resetStatistics()}. */
  public Map<String, Long> commandCounts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (String line : call("INFO", "commandstats").toString().split("\r\n", -1)) {
      if (line.startsWith("cmdstat_")) {
        String name = line.substring("cmdstat_".length(), line.indexOf(':'));
        String calls = line.substring(line.indexOf("calls=") + "calls=".length());
        counts.put(name, Long.parseLong(calls.substring(0, calls.indexOf(','))));
      }
    }
    return counts;
  }

  /** Returns how many commands of that name it was sent. */
  public long count(String command) {
    return commandCounts().getOrDefault(command, 0L);
  }

  /** Sets all counts to zero. */
  public void resetStatistics() {
    call("CONFIG", "RESETSTAT");
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      process.kill();
    }
    Archives.delete(directory);
  }
}
