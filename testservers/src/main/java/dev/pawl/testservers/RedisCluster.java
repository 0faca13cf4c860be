package dev.pawl.testservers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A cluster of three masters, with or without replicas. */
public final class RedisCluster implements AutoCloseable {

  private static final String PATIENCE = "cluster-node-timeout";
  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;
  private static final Duration USUAL_PATIENCE = Duration.ofSeconds(15);
  private static final long MEET_AGAIN_NANOS = 5_000_000_000L;

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
    return startWith(binary, binary, binary);
  }

  /** Starts a master of each of three {@code redis-server}s, and waits until they agree. */
  public static RedisCluster startWith(String first, String second, String third) {
    return form(startEach(List.of(first, second, third)), List.of());
  }

  /** Starts three of a given {@code redis-server} that speak TLS, also among themselves. */
  public static RedisCluster startTls(String binary, TlsIdentity identity) {
    List<String> options = new ArrayList<>(options());
    options.addAll(List.of("--tls-cluster", "yes"));
    return form(
        Stream.generate(() -> RedisServer.startWith(binary, Optional.of(identity), options))
            .limit(MASTERS)
            .toList(),
        List.of());
  }

  /** Starts three masters of the jar, each with a replica that has caught up with it. */
  public static RedisCluster startReplicated() {
    return startReplicated(RedisBinary.bundled(), USUAL_PATIENCE);
  }

  /**
   * Starts three masters of a given {@code redis-server}, each with a replica that has caught up
   * with it.
   *
   * @param patience for how long the others wait for a silent server before they replace it
   */
  public static RedisCluster startReplicated(String binary, Duration patience) {
    List<String> binaries = List.of(binary, binary, binary);
    RedisCluster cluster = form(startEach(binaries), startEach(binaries));
    // Only now: as long as they get to know each other, patience is all that holds them together.
    cluster.live().forEach(each -> each.call("CONFIG", "SET", PATIENCE, "" + patience.toMillis()));
    return cluster;
  }

  private static List<RedisServer> startEach(List<String> binaries) {
    List<String> options = options();
    return binaries.stream()
        .map(binary -> RedisServer.startWith(binary, Optional.empty(), options))
        .toList();
  }

  private static List<String> options() {
    return List.of(
        "--cluster-enabled",
        "yes",
        "--" + PATIENCE,
        "" + USUAL_PATIENCE.toMillis(),
        "--repl-diskless-sync",
        "yes",
        "--repl-diskless-sync-delay",
        "0");
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
    AtomicLong metAt = new AtomicLong(System.nanoTime());
    meet(all);
    for (RedisServer server : all) {
      server.awaitUntil(
          () -> {
            // A greeting that took too long is forgotten.
            if (System.nanoTime() - metAt.get() > MEET_AGAIN_NANOS) {
              metAt.set(System.nanoTime());
              meet(all);
            }
            String info = server.call("CLUSTER", "INFO").toString();
            return info.contains("cluster_state:ok")
                && info.contains("cluster_known_nodes:" + all.size() + "\r\n");
          });
    }
    for (int i = 0; i < replicas.size(); i++) {
      RedisServer replica = replicas.get(i);
      replica.call("CLUSTER", "REPLICATE", servers.get(i).call("CLUSTER", "MYID").toString());
      replica.awaitUntil(
          () -> replica.call("INFO", "replication").toString().contains("master_link_status:up"));
    }
    return new RedisCluster(servers, replicas);
  }

  private static void meet(List<RedisServer> all) {
    for (RedisServer other : all.subList(1, all.size())) {
      all.get(0).call("CLUSTER", "MEET", "127.0.0.1", "" + other.preferredPort());
    }
  }

  /** Moves a slot with its keys to another master while clients use it, as a resharding does. */
  public void move(int slot, RedisServer to) {
    RedisServer from = beginMove(slot, to);
    for (Object key : (List<?>) from.call("CLUSTER", "GETKEYSINSLOT", "" + slot, "1000")) {
      moveKey(key.toString(), from, to);
    }
    String target = to.call("CLUSTER", "MYID").toString();
    to.call("CLUSTER", "SETSLOT", "" + slot, "NODE", target);
    from.call("CLUSTER", "SETSLOT", "" + slot, "NODE", target);
  }

  /** Has a slot on two masters: new keys are made on the other one. Returns where it was. */
  public RedisServer beginMove(int slot, RedisServer to) {
    RedisServer from = masterOf(slot);
    to.call("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", "" + from.call("CLUSTER", "MYID"));
    from.call("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", "" + to.call("CLUSTER", "MYID"));
    return from;
  }

  /** Moves one key of a slot that is on two masters. */
  public void moveKey(String key, RedisServer from, RedisServer to) {
    from.call("MIGRATE", "127.0.0.1", "" + to.port(), key, "0", "5000");
  }

  /** Returns the server that has a slot, by what the first of them that answers knows. */
  public RedisServer masterOf(int slot) {
    List<RedisServer> live = live();
    for (Object range : (List<?>) live.get(0).call("CLUSTER", "SLOTS")) {
      List<?> fields = (List<?>) range;
      if ((Long) fields.get(0) <= slot && slot <= (Long) fields.get(1)) {
        Object port = ((List<?>) fields.get(2)).get(1);
        return live.stream().filter(s -> port.equals((long) s.port())).findFirst().orElseThrow();
      }
    }
    throw new IllegalStateException("nobody has slot " + slot);
  }

  /** Returns the servers that answer, masters and replicas. */
  public List<RedisServer> live() {
    return Stream.concat(servers.stream(), replicas.stream())
        .filter(server -> RedisServer.answers(server.port()))
        .toList();
  }

  /** Returns the replicas, in the order of their masters. */
  public List<RedisServer> replicas() {
    return replicas;
  }

  /** Returns the masters. */
  public List<RedisServer> servers() {
    return servers;
  }

  /** Returns the URL of it, without TLS. */
  public String url() {
    return "redis-cluster://" + RedisServer.hosts(servers, RedisServer::port);
  }

  /** Returns the hosts with their ports for TLS, as they stand in a URL. */
  public String tlsHosts() {
    return RedisServer.hosts(servers, RedisServer::tlsPort);
  }

  @Override
  public void close() {
    replicas.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
