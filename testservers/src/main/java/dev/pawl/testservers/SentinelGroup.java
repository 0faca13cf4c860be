package dev.pawl.testservers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A master, replicas of it, and three Sentinels that watch it under the name {@code pawl}. */
public final class SentinelGroup implements AutoCloseable {

  private static final int SENTINELS = 3;

  private final List<RedisServer> servers;
  private final List<RedisServer> sentinels;

  private SentinelGroup(List<RedisServer> servers, List<RedisServer> sentinels) {
    this.servers = List.copyOf(servers);
    this.sentinels = List.copyOf(sentinels);
  }

  /** Starts the group with the server of the jar, and waits until the Sentinels know everybody. */
  public static SentinelGroup start(int replicas) {
    String binary = RedisBinary.bundled();
    List<RedisServer> servers = startReplicated(replicas);
    int master = servers.get(0).port();
    List<RedisServer> sentinels = new ArrayList<>();
    for (int i = 0; i < SENTINELS; i++) {
      sentinels.add(RedisServer.startSentinel(binary, master, 2));
    }
    SentinelGroup group = new SentinelGroup(servers, sentinels);
    String wanted = "slaves=" + replicas + ",sentinels=" + SENTINELS;
    for (RedisServer sentinel : sentinels) {
      while (!sentinel.call("INFO", "sentinel").toString().contains(wanted)) {
        LockSupport.parkNanos(50_000_000);
      }
    }
    return group;
  }

  /** Starts a master, which is the first, and replicas that have caught up with it. */
  public static List<RedisServer> startReplicated(int replicas) {
    List<RedisServer> servers = new ArrayList<>();
    servers.add(
        RedisServer.start("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"));
    String master = "" + servers.get(0).port();
    for (int i = 0; i < replicas; i++) {
      RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", master);
      while (!replica.call("INFO", "replication").toString().contains("master_link_status:up")) {
        LockSupport.parkNanos(20_000_000);
      }
      servers.add(replica);
    }
    return servers;
  }

  /** Returns the servers, the first master first. */
  public List<RedisServer> servers() {
    return servers;
  }

  /** Returns the master that the Sentinels name now. */
  public RedisServer master() {
    Object address = sentinels.get(0).call("SENTINEL", "get-master-addr-by-name", "pawl");
    String port = ((List<?>) address).get(1).toString();
    return servers.stream().filter(s -> port.equals("" + s.port())).findFirst().orElseThrow();
  }

  /** Returns the URL of it. */
  public String url() {
    return "redis-sentinel://"
        + sentinels.stream()
            .map(server -> "127.0.0.1:" + server.port())
            .collect(Collectors.joining(","))
        + "/pawl";
  }

  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
