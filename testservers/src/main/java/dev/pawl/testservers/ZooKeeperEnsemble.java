package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Three ZooKeeper servers that elect a leader. */
public final class ZooKeeperEnsemble implements AutoCloseable {

  private static final int SIZE = 3;

  /** The way from one server to the port where another one talks to its followers. */
  public interface Route {
    /** Returns the port that server {@code from} is to use instead of that of {@code to}. */
    int through(int from, int to, int port);
  }

  private final List<ZooKeeperServer> servers;

  private ZooKeeperEnsemble(List<ZooKeeperServer> servers) {
    this.servers = servers;
  }

  /** Starts an ensemble whose servers talk to each other directly. */
  public static ZooKeeperEnsemble start(Map<String, String> settings) {
    return start(settings, (from, to, port) -> port);
  }

  /** Starts an ensemble whose followers reach their leader by a route that a test can cut. */
  public static ZooKeeperEnsemble start(Map<String, String> settings, Route route) {
    int[][] ports = new int[SIZE][3];
    for (int[] each : ports) {
      for (int i = 0; i < each.length; i++) {
        each[i] = ServerStart.freePort();
      }
    }
    List<ZooKeeperServer> servers = new ArrayList<>();
    for (int i = 0; i < SIZE; i++) {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("initLimit", "20");
      all.put("syncLimit", "60");
      for (int j = 0; j < SIZE; j++) {
        int quorum = i == j ? ports[j][1] : route.through(i, j, ports[j][1]);
        all.put("server." + (j + 1), "127.0.0.1:" + quorum + ":" + ports[j][2]);
      }
      all.putAll(settings);
      Path directory = ZooKeeperServer.newDirectory();
      try {
        Files.writeString(directory.resolve("myid"), "" + (i + 1));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      servers.add(ZooKeeperServer.on(ports[i][0], directory, all, List.of()));
    }
    ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble(servers);
    servers.forEach(ZooKeeperServer::awaitReady);
    return ensemble;
  }

  /** Returns the servers. */
  public List<ZooKeeperServer> servers() {
    return servers;
  }

  /** Returns the number of the leader in {@link #servers()}; waits until there is one. */
  public int leader() {
    int[] found = {-1};
    servers
        .get(anyAlive())
        .process()
        .awaitUntil(
            () -> {
              for (int i = 0; i < SIZE; i++) {
                if (servers.get(i).process().isAlive() && servers.get(i).mode().equals("leader")) {
                  found[0] = i;
                }
              }
              return found[0] >= 0;
            });
    return found[0];
  }

  private int anyAlive() {
    for (int i = 0; i < SIZE; i++) {
      if (servers.get(i).process().isAlive()) {
        return i;
      }
    }
    throw new IllegalStateException("no server is alive");
  }

  /** Returns the addresses for clients, with commas. */
  public String addresses() {
    return servers.stream().map(ZooKeeperServer::address).collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    servers.forEach(ZooKeeperServer::close);
  }
}
