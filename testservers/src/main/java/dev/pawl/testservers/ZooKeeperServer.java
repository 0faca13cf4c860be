package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One ZooKeeper server in a process of its own, alone or of an ensemble. Its classes are those that
 * the tests have on their class path: ZooKeeper's jar, and what a server needs beside it.
 */
public final class ZooKeeperServer implements AutoCloseable {

  /** One class of each jar that a server needs. */
  private static final List<String> JARS =
      List.of(
          "org.apache.zookeeper.server.quorum.QuorumPeerMain",
          "org.apache.jute.Record",
          "org.apache.yetus.audience.InterfaceAudience",
          "org.apache.commons.io.FileUtils",
          "org.slf4j.Logger",
          "org.slf4j.simple.SimpleLogger",
          "com.codahale.metrics.Reservoir",
          "org.xerial.snappy.Snappy",
          "io.netty.handler.ssl.SslContext",
          "io.netty.channel.epoll.Epoll",
          "io.netty.channel.Channel",
          "io.netty.channel.unix.Unix",
          "io.netty.buffer.ByteBuf",
          "io.netty.util.Timer",
          "io.netty.resolver.AddressResolver",
          "io.netty.handler.codec.ByteToMessageDecoder");

  private final int port;
  private final Path directory;
  private final List<String> command;
  private ServerProcess process;

  private ZooKeeperServer(int port, Path directory, List<String> javaOptions) {
    this.port = port;
    this.directory = directory;
    this.command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath(), "-Xmx192m", "-XX:+UseSerialGC"));
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
    command.addAll(javaOptions);
    command.add("org.apache.zookeeper.server.quorum.QuorumPeerMain");
    command.add(directory.resolve("zoo.cfg").toString());
    this.process = launch();
  }

  /**
   * Starts a single server, with settings of {@code zoo.cfg} beyond or instead of the usual ones.
   */
  public static ZooKeeperServer start(Map<String, String> settings, String... javaOptions) {
    Path directory = newDirectory();
    return ServerStart.onFreePort(
        port -> {
          ZooKeeperServer server = on(port, directory, settings, List.of(javaOptions));
          server.awaitReady();
          return server;
        });
  }

  /** Starts a single server. */
  public static ZooKeeperServer start() {
    return start(Map.of());
  }

  /** Launches a server without waiting for it. */
  static ZooKeeperServer on(
      int port, Path directory, Map<String, String> settings, List<String> javaOptions) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("tickTime", "500");
    all.put("minSessionTimeout", "500");
    all.put("maxSessionTimeout", "300000");
    all.put("dataDir", directory.toString());
    all.put("clientPort", "" + port);
    all.put("clientPortAddress", "127.0.0.1");
    all.put("admin.enableServer", "false");
    all.put("4lw.commands.whitelist", "*");
    all.put("maxClientCnxns", "0");
    all.putAll(settings);
    try {
      Files.write(
          directory.resolve("zoo.cfg"),
          all.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> options = new ArrayList<>();
    // A test server that loses power is no test of ours.
    options.add("-Dzookeeper.forceSync=no");
    options.add("-Dznode.container.checkIntervalMs=2000");
    options.addAll(javaOptions);
    return new ZooKeeperServer(port, directory, options);
  }

  static Path newDirectory() {
    try {
      return Files.createTempDirectory("pawl-zookeeper");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String classPath() {
    Set<String> jars = new LinkedHashSet<>();
    for (String name : JARS) {
      try {
        Class<?> type = Class.forName(name, false, Thread.currentThread().getContextClassLoader());
        jars.add(
            Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
      } catch (ClassNotFoundException e) {
        // Such as Netty, which only a server with TLS needs; it says what it misses.
      } catch (URISyntaxException e) {
        throw new IllegalStateException(e);
      }
    }
    return String.join(System.getProperty("path.separator"), jars);
  }

  private ServerProcess launch() {
    return ServerProcess.start(command, Map.of(), directory.resolve("server.log"));
  }

  /** Waits until it serves clients. */
  void awaitReady() {
    process.awaitUntil(() -> !mode().isEmpty());
  }

  /** Returns {@code standalone}, {@code leader} or {@code follower}; empty if it serves nobody. */
  public String mode() {
    String prefix = "Mode: ";
    return fourLetters("srvr")
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .collect(Collectors.joining());
  }

  /** Returns the answer to one of the commands of four letters; empty if there is none. */
  public String fourLetters(String word) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      socket.setSoTimeout(2_000);
      socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns that answer from a server that takes its time: none is not a number of it. */
  private String answer(String word) {
    List<String> answers = new ArrayList<>();
    process.awaitUntil(
        () -> {
          answers.add(0, fourLetters(word));
          return !answers.get(0).isEmpty();
        });
    return answers.get(0);
  }

  /** Returns a number of the server's own, from {@code mntr}; zero if it has none of that name. */
  public long counted(String what) {
    return answer("mntr")
        .lines()
        .filter(line -> line.startsWith(what + "\t"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(what.length() + 1)))
        .findFirst()
        .orElse(0);
  }

  /** Returns how many sessions watch paths that begin so, one by one, from {@code wchp}. */
  public long watchers(String prefix) {
    long count = 0;
    boolean wanted = false;
    for (String line : fourLetters("wchp").lines().toList()) {
      if (line.startsWith("/")) {
        wanted = line.startsWith(prefix);
      } else if (wanted && line.startsWith("\t")) {
        count++;
      }
    }
    return count;
  }

  /** Returns the port for clients. */
  public int port() {
    return port;
  }

  /** Returns {@code host:port}. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /** Returns the process. */
  public ServerProcess process() {
    return process;
  }

  /** Kills it; its data stay. */
  public void kill() {
    process.kill();
  }

  /** Stops it in its tracks, connections open. */
  public void pause() {
    process.pause();
  }

  /** Lets it go on. */
  public void resume() {
    process.resume();
  }

  /** Changes settings of {@code zoo.cfg}, which count when it is started again. */
  public void configure(Map<String, String> settings) {
    try {
      Files.write(
          directory.resolve("zoo.cfg"),
          settings.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList(),
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts it again with its data, and waits unless it needs others first. */
  public void restart(boolean wait) {
    ServerStart.onItsPort(
        () -> {
          process = launch();
          if (wait) {
            awaitReady();
          }
          return process;
        });
  }

  @Override
  public void close() {
    process.resume();
    process.kill();
    try (var files = Files.walk(directory)) {
      files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
