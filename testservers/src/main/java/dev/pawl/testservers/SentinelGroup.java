package dev.pawl.testservers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A master, replicas of it, and three Sentinels that watch it under the name {@code pawl}. */
public final class SentinelGroup implements AutoCloseable {

  private static final int SENTINELS = 3;
  private static final Duration USUAL_PATIENCE = Duration.ofMinutes(1);

  private final List<RedisServer> servers;
  private final List<RedisServer> sentinels;

  private SentinelGroup(List<RedisServer> servers, List<RedisServer> sentinels) {
    this.servers = List.copyOf(servers);
    this.sentinels = List.copyOf(sentinels);
  }

  /**
   * Starts the group with the server of the jar, and waits until the Sentinels know everybody; a
   * master that is only slow they leave alone.
   */
  public static SentinelGroup start(int replicas) {
    return start(replicas, USUAL_PATIENCE);
  }

  /**
   * Starts the group with the server of the jar, and waits until the Sentinels know everybody.
   *
   * @param patience for how long they wait for a silent master before they replace it
   */
  public static SentinelGroup start(int replicas, Duration patience) {
    return watch(startReplicated(replicas), RedisBinary.bundled(), Optional.empty(), patience);
  }

  /** Starts a master of a given {@code redis-server} and its Sentinels, all of which speak TLS. */
  public static SentinelGroup startTls(String binary, TlsIdentity identity) {
    return watch(
        List.of(RedisServer.startTls(binary, identity)),
        binary,
        Optional.of(identity),
        USUAL_PATIENCE);
  }

  private static SentinelGroup watch(
      List<RedisServer> servers, String binary, Optional<TlsIdentity> identity, Duration patience) {
    int master = servers.get(0).preferredPort();
    List<RedisServer> sentinels = new ArrayList<>();
    for (int i = 0; i < SENTINELS; i++) {
      sentinels.add(RedisServer.startSentinel(binary, identity, master, 2, patience));
    }
    SentinelGroup group = new SentinelGroup(servers, sentinels);
    String wanted = "slaves=" + (servers.size() - 1) + ",sentinels=" + SENTINELS;
    for (RedisServer sentinel : sentinels) {
      sentinel.awaitUntil(() -> sentinel.call("INFO", "sentinel").toString().contains(wanted));
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
      replica.awaitUntil(
          () -> replica.call("INFO", "replication").toString().contains("master_link_status:up"));
      servers.add(replica);
    }
    return servers;
  }

  /** Returns the servers, the first master first. */
  public List<RedisServer> servers() {
    return servers;
  }

  /** Returns those that watch them. */
  public List<RedisServer> sentinels() {
    return sentinels;
  }

  /** Returns the master that the Sentinels name now. */
  public RedisServer master() {
    Object address = sentinels.get(0).call("SENTINEL", "get-master-addr-by-name", "pawl");
    String port = ((List<?>) address).get(1).toString();
    return servers.stream()
        .filter(s -> port.equals("" + s.preferredPort()))
        .findFirst()
        .orElseThrow();
  }

  /** Has the Sentinels ask for a name and a password from now on, each other as well. */
  public void protectSentinels(String user, String password) {
    for (RedisServer sentinel : sentinels) {
      sentinel.call("SENTINEL", "CONFIG", "SET", "sentinel-user", user);
      sentinel.call("SENTINEL", "CONFIG", "SET", "sentinel-pass", password);
      sentinel.call("ACL", "SETUSER", user, "on", ">" + password, "+@all", "allchannels");
    }
    sentinels.forEach(sentinel -> sentinel.call("ACL", "SETUSER", "default", "off"));
  }

  /** Returns the URL of it, without TLS. */
  public String url() {
    return "redis-sentinel://" + RedisServer.hosts(sentinels, RedisServer::port) + "/pawl";
  }

  /** Returns the Sentinels with their ports for TLS, as they stand in a URL. */
  public String tlsHosts() {
    return RedisServer.hosts(sentinels, RedisServer::tlsPort);
  }

  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
