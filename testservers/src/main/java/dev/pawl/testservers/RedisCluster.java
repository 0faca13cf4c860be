package dev.pawl.testservers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A cluster of three masters without replicas. */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  private final List<RedisServer> servers;

  private RedisCluster(List<RedisServer> servers) {
    this.servers = List.copyOf(servers);
  }

  /** Starts the servers of the jar. */
  public static RedisCluster start() {
    return startWith(RedisBinary.bundled());
  }

  /** Starts three of a given {@code redis-server}, and waits until they agree. */
  public static RedisCluster startWith(String binary) {
    List<RedisServer> servers = new ArrayList<>();
    for (int i = 0; i < MASTERS; i++) {
      servers.add(
          RedisServer.startWith(
              binary, "--cluster-enabled", "yes", "--cluster-node-timeout", "15000"));
    }
    return form(servers);
  }

  private static RedisCluster form(List<RedisServer> servers) {
    for (int i = 0; i < MASTERS; i++) {
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = SLOTS * i / MASTERS; slot < SLOTS * (i + 1) / MASTERS; slot++) {
        words.add("" + slot);
      }
      servers.get(i).call(words.toArray(String[]::new));
      servers.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    for (RedisServer other : servers.subList(1, MASTERS)) {
      servers.get(0).call("CLUSTER", "MEET", "127.0.0.1", "" + other.port());
    }
    for (RedisServer server : servers) {
      while (!isReady(server)) {
        LockSupport.parkNanos(20_000_000);
      }
    }
    return new RedisCluster(servers);
  }

  private static boolean isReady(RedisServer server) {
    String info = server.call("CLUSTER", "INFO").toString();
    return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + MASTERS);
  }

  /** Returns the masters. */
  public List<RedisServer> servers() {
    return servers;
  }

  /** Returns the URL of it. */
  public String url() {
    return "redis-cluster://"
        + servers.stream()
            .map(server -> "127.0.0.1:" + server.port())
            .collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    servers.forEach(RedisServer::close);
  }
}
