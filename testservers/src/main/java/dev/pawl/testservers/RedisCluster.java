package dev.pawl.testservers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A cluster of three masters without replicas. */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;

  private final List<RedisServer> servers;
  private final List<RedisServer> replicas;

  private RedisCluster(List<RedisServer> servers, List<RedisServer> replicas) {
    this.servers = List.copyOf(servers);
    this.replicas = List.copyOf(replicas);
  }

  /** Starts the servers of the jar. */
  public static RedisCluster start() {
    return startWith(RedisBinary.bundled());
  }

  /** Starts three of a given {@code redis-server}, and waits until they agree. */
  public static RedisCluster startWith(String binary) {
    return form(startThree(binary), List.of());
  }

  /** Starts three masters of the jar, each with a replica that has caught up with it. */
  public static RedisCluster startReplicated() {
    return form(startThree(RedisBinary.bundled()), startThree(RedisBinary.bundled()));
  }

  private static List<RedisServer> startThree(String binary) {
    List<RedisServer> servers = new ArrayList<>();
    for (int i = 0; i < MASTERS; i++) {
      servers.add(
          RedisServer.startWith(
              binary,
              "--cluster-enabled",
              "yes",
              "--cluster-node-timeout",
              "15000",
              "--repl-diskless-sync",
              "yes",
              "--repl-diskless-sync-delay",
              "0"));
    }
    return servers;
  }

  private static RedisCluster form(List<RedisServer> servers, List<RedisServer> replicas) {
    for (int i = 0; i < MASTERS; i++) {
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      for (int slot = SLOTS * i / MASTERS; slot < SLOTS * (i + 1) / MASTERS; slot++) {
        words.add("" + slot);
      }
      servers.get(i).call(words.toArray(String[]::new));
      servers.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    List<RedisServer> all = new ArrayList<>(servers);
    all.addAll(replicas);
    for (RedisServer other : all.subList(1, all.size())) {
      servers.get(0).call("CLUSTER", "MEET", "127.0.0.1", "" + other.port());
    }
    for (RedisServer server : all) {
      await(
          server,
          List.of("CLUSTER", "INFO"),
          "cluster_state:ok",
          "cluster_known_nodes:" + all.size());
    }
    for (int i = 0; i < replicas.size(); i++) {
      String master = servers.get(i).call("CLUSTER", "MYID").toString();
      replicas.get(i).call("CLUSTER", "REPLICATE", master);
      await(replicas.get(i), List.of("INFO", "replication"), "master_link_status:up");
    }
    return new RedisCluster(servers, replicas);
  }

  /** Waits until the server's answer holds these words. */
  private static void await(RedisServer server, List<String> question, String... words) {
    String[] asked = question.toArray(String[]::new);
    while (!Arrays.stream(words).allMatch(server.call(asked).toString()::contains)) {
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** Returns the replicas, in the order of their masters. */
  public List<RedisServer> replicas() {
    return replicas;
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
    replicas.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
