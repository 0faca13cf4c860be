package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One member of a {@link HazelcastCluster}, in a process of its own. */
public final class HazelcastMember {

  private static final String STARTED = " is STARTED";

  private final HazelcastCluster cluster;
  private final String address;
  private final int port;
  private final int publicPort;
  private final Path directory;
  private String classPath;
  private ServerProcess process;

  HazelcastMember(HazelcastCluster cluster, String address, int port, int publicPort) {
    this.cluster = cluster;
    this.address = address;
    this.port = port;
    this.publicPort = publicPort;
    this.directory = Archives.directory("pawl-hazelcast-");
    this.classPath = cluster.classPath();
    this.process = launch();
  }

  private ServerProcess launch() {
    Path log = directory.resolve("output.log");
    try {
      Files.deleteIfExists(log);
      Path config = directory.resolve("hazelcast.xml");
      Files.writeString(config, cluster.xml(port, hostAndPort()));
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
      command.add("-Djava.net.preferIPv4Stack=true");
      command.add("-Dhazelcast.local.localAddress=" + address);
      command.add("-Dhazelcast.config=" + config);
      cluster.properties().forEach((key, value) -> command.add("-D" + key + "=" + value));
      command.addAll(List.of("-cp", classPath, cluster.mainClass()));
      return ServerProcess.start(command, Map.of(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it is part of a cluster of so many. */
  void awaitMembers(int size) {
    String joined = "Members {size:" + size;
    process.awaitUntil(
        () -> {
          String text = log();
          return text.contains(STARTED) && text.contains(joined);
        });
  }

  /** Returns what it has printed since it was started. */
  public String log() {
    try {
      return Files.readString(directory.resolve("output.log"));
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns where clients and other members reach it. */
  public String hostAndPort() {
    return address + ":" + publicPort;
  }

  String address() {
    return address;
  }

  int port() {
    return port;
  }

  int publicPort() {
    return publicPort;
  }

  /** Tells whether its process runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Ends it as a crash would. */
  public void kill() {
    process.kill();
  }

  /** Asks it to leave, which it does as it is configured to, and waits until its process ends. */
  public void terminate() {
    process.stop("TERM");
  }

  /** Starts it again after {@link #kill()}, and waits until there are so many members. */
  public void startAgain(int size) {
    process = ServerStart.onItsPort(this::launched);
    awaitMembers(size);
  }

  /** Starts it again with other classes, such as those of another version. */
  public void startAgain(int size, String newClassPath) {
    classPath = newClassPath;
    startAgain(size);
  }

  private ServerProcess launched() {
    ServerProcess started = launch();
    started.awaitUntil(() -> log().contains(STARTED));
    return started;
  }

  /** Stops it in its tracks, connections open. */
  public void pause() {
    process.pause();
  }

  /** Lets it go on. */
  public void resume() {
    process.resume();
  }

  void close() {
    if (process.isAlive()) {
      process.kill();
    }
    Archives.delete(directory);
  }
}
