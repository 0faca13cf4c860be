package dev.pawl.redis.jedis;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.feed.Messages;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.port.ScriptCall;
import dev.pawl.redis.port.SilenceGate;
import dev.pawl.redis.port.Slots;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/** The port over Jedis: a pool of connections, each call in the thread that makes it. */
final class JedisPort implements RedisPort {

  private static final Logger LOG = LoggerFactory.getLogger(JedisPort.class);

  private static final int SCAN_COUNT = 1_000;

  private final UnifiedJedis client;
  private final String where;
  private final Runnable onClose;
  private final JedisScript scripts;
  private final Messages messages;

  /** The masters of a cluster: a client that blocks has few threads for all of them. */
  private final ConcurrentMap<String, SilenceGate> masters = new ConcurrentHashMap<>();

  private final @Nullable JedisSlots slots;
  private final @Nullable Messages shards;
  private volatile boolean closed;

  JedisPort(UnifiedJedis client, String where, Runnable onClose) {
    this.client = client;
    this.where = where;
    this.onClose = onClose;
    this.scripts = new JedisScript(client);
    this.messages = new Messages(where, JedisSubscriber.link(JedisConnections.of(client), where));
    if (client instanceof RedisClusterClient cluster) {
      slots = new JedisSlots(cluster);
      shards = new Messages(where, new JedisShards(cluster, slots, where));
    } else {
      slots = null;
      shards = null;
    }
  }

  @Override
  public String describe() {
    return where;
  }

  @Override
  public boolean blocking() {
    return true;
  }

  @Override
  public boolean clustered() {
    return client instanceof RedisClusterClient;
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    return run(ScriptCall.of(script, keys, args)).thenApply(Replicated::answer);
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    return run(new ScriptCall(script, keys, args, replicas, timeout));
  }

  private CompletionStage<Replicated> run(ScriptCall call) {
    if (slots == null || !(client instanceof RedisClusterClient cluster)) {
      return call(() -> call.run(scripts, false), client::ping);
    }
    int slot = Slots.of(call.keys().get(0));
    Runnable ping =
        () -> {
          try (Connection used = cluster.getConnectionFromSlot(slot)) {
            used.ping();
          }
        };
    // Until the master is known, the slot, whose names have the same one.
    String master = Objects.requireNonNullElse(slots.master(slot), "" + slot);
    return masters
        .computeIfAbsent(master, key -> new SilenceGate(where + " (" + key + ")"))
        .call(() -> call(() -> call.run(scripts, true), ping));
  }

  /**
   * Jedis does not tell which servers of a cluster are masters; one that is silent is looked at.
   */
  @Override
  public List<RedisProbe> probes() {
    if (!(client instanceof RedisClusterClient cluster)) {
      String address = where.contains("://") ? where.substring(where.indexOf("://") + 3) : where;
      return List.of(probe(address, client::executeCommand));
    }
    return cluster.getClusterNodes().entrySet().stream()
        .map(node -> probe(node.getKey(), words -> execute(node.getValue(), words)))
        .filter(
            probe ->
                probe
                    .info()
                    .handle((info, error) -> error != null || !info.contains("role:slave"))
                    .toCompletableFuture()
                    .join())
        .toList();
  }

  private static RedisProbe probe(String address, Function<CommandArguments, Object> server) {
    return new RedisProbe(
        address,
        () ->
            ask(address, server, new CommandArguments(Protocol.Command.INFO))
                .thenApply(JedisPort::text),
        name ->
            ask(address, server, new CommandArguments(Protocol.Command.CONFIG).add("GET").add(name))
                .thenApply(Answers::list)
                .thenApply(
                    found -> found.size() < 2 ? Map.of() : Map.of(name, text(found.get(1)))));
  }

  private static CompletionStage<Object> ask(
      String address, Function<CommandArguments, Object> server, CommandArguments command) {
    try {
      return CompletableFuture.completedFuture(server.apply(command));
    } catch (JedisException e) {
      return CompletableFuture.failedFuture(JedisErrors.typed(address, e, false));
    }
  }

  private static Object execute(ConnectionPool pool, CommandArguments command) {
    try (Connection connection = pool.getResource()) {
      return connection.executeCommand(command);
    }
  }

  private static String text(Object answer) {
    return answer instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : Answers.text(answer);
  }

  @Override
  public CompletionStage<List<String>> scan(String pattern) {
    return call(
        () -> {
          List<String> found = new ArrayList<>();
          ScanIteration iteration = client.scanIteration(SCAN_COUNT, pattern);
          while (!iteration.isIterationCompleted()) {
            found.addAll(iteration.nextBatchList());
          }
          return CompletableFuture.completedFuture(found);
        },
        client::ping);
  }

  @Override
  public Subscription subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    return messages.subscribe(List.of(channel), onMessage, onMissed);
  }

  @Override
  public Subscription subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    return shards == null ? Subscription.NONE : shards.subscribe(channels, onMessage, onMissed);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (shards != null) {
        shards.close();
      }
      messages.close();
      onClose.run();
    }
  }

  /** Calls, in this thread: what it returns is done. */
  private <T> CompletionStage<T> call(Supplier<CompletionStage<T>> call, Runnable ping) {
    if (closed) {
      return CompletableFuture.failedFuture(RedisErrors.closed(where));
    }
    try {
      return call.get()
          .exceptionallyCompose(
              error -> CompletableFuture.failedFuture(typed(RedisErrors.unwrap(error), ping)));
    } catch (JedisException e) {
      return CompletableFuture.failedFuture(typed(e, ping));
    }
  }

  private Throwable typed(Throwable error, Runnable ping) {
    if (!(error instanceof JedisException known)) {
      return error;
    }
    if (JedisErrors.isBroken(known)) {
      dropBroken(ping);
    } else if (client instanceof RedisClient one && RedisErrors.isReadOnly(known)) {
      leaveReplica(one);
    }
    RuntimeException typed = JedisErrors.typed(where, known, false);
    return closed && typed instanceof StoreUnavailableException ? RedisErrors.closed(where) : typed;
  }

  /** Empties the pool: the address may lead to another server by now, the master. */
  private static void leaveReplica(RedisClient one) {
    try {
      one.getPool().clear();
    } catch (ClassCastException e) {
      LOG.debug("the connections are of another kind, and not ours to close", e);
    }
  }

  /**
   * Takes connections out of the pool until one works. They usually break together, and each would
   * cost whoever gets it an answer: as many as a pool has are more than a lease bears.
   */
  private static void dropBroken(Runnable ping) {
    for (int i = 0; i < JedisPorts.MOST_CONNECTIONS; i++) {
      try {
        ping.run();
        return;
      } catch (JedisException e) {
        if (!JedisErrors.isBroken(e)) {
          return;
        }
      }
    }
  }
}
