package dev.pawl.redis.jedis;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.feed.ShardMessages;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.port.SilentMasters;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.port.Unreachable;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The port over Jedis: a pool of connections, each call in the thread that makes it. */
final class JedisPort implements RedisPort {

  private static final int SCAN_COUNT = 1_000;

  private final UnifiedJedis client;
  private final String where;
  private final Runnable onClose;
  private final JedisMessages messages;
  private final SilentMasters silent = new SilentMasters();
  private final @Nullable JedisSlots slots;
  private final @Nullable ShardMessages shards;
  private volatile boolean closed;

  JedisPort(UnifiedJedis client, String where, Runnable onClose) {
    this.client = client;
    this.where = where;
    this.onClose = onClose;
    this.messages = new JedisMessages(client, where);
    if (client instanceof RedisClusterClient cluster) {
      slots = new JedisSlots(cluster);
      shards = new ShardMessages(new JedisShards(cluster, slots, where));
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
    JedisScript once = new JedisScript(script, keys, args, 0, Duration.ZERO);
    return callMaster(keys.get(0), () -> once.run(client).answer());
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    JedisScript once = new JedisScript(script, keys, args, replicas, timeout);
    return callMaster(keys.get(0), () -> once.run(client));
  }

  static Object list(Object answer) {
    return answer instanceof List<?> ? answer : List.of(answer);
  }

  @Override
  public List<RedisProbe> probes() {
    return JedisProbe.of(client, where);
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
          return found;
        },
        client::ping);
  }

  @Override
  public Runnable subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    if (closed) {
      throw RedisErrors.closed(where);
    }
    return messages.subscribe(channel, onMessage, onMissed);
  }

  @Override
  public Runnable subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    if (closed) {
      throw RedisErrors.closed(where);
    }
    return shards == null ? () -> {} : shards.subscribe(channels, onMessage, onMissed);
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

  private <T> CompletionStage<T> callMaster(String key, Supplier<T> call) {
    if (slots == null || !(client instanceof RedisClusterClient cluster)) {
      return call(call, client::ping);
    }
    int slot = Slots.of(key);
    // Until the master is known, the slot, whose names have the same one.
    String master = Objects.requireNonNullElse(slots.master(slot), "" + slot);
    if (!silent.begin(master)) {
      return CompletableFuture.failedFuture(
          RedisErrors.notSent(where, new IllegalStateException(master + " owes an answer")));
    }
    CompletionStage<T> result =
        call(
            call,
            () -> {
              try (Connection used = cluster.getConnectionFromSlot(slot)) {
                used.ping();
              }
            });
    silent.end(master, result);
    return result;
  }

  private <T> CompletionStage<T> call(Supplier<T> call, Runnable ping) {
    if (closed) {
      return CompletableFuture.failedFuture(RedisErrors.closed(where));
    }
    try {
      return CompletableFuture.completedFuture(call.get());
    } catch (JedisException e) {
      if (isBroken(e)) {
        dropBroken(ping);
      }
      RuntimeException typed = typed(where, e, false);
      return CompletableFuture.failedFuture(
          closed && typed instanceof StoreUnavailableException ? RedisErrors.closed(where) : typed);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
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
        if (!isBroken(e)) {
          return;
        }
      }
    }
  }

  /** Tells whether a connection was there and is not any more: a server that is down has none. */
  private static boolean isBroken(JedisException error) {
    Throwable[] attempts = error.getSuppressed();
    return (attempts.length > 0 ? attempts[0] : error) instanceof JedisConnectionException last
        && !(last.getCause() instanceof SocketTimeoutException)
        && !isBeforeSending(last);
  }

  /**
   * What one of Jedis's exceptions means.
   *
   * @param connecting whether nothing but a connection was asked for
   */
  static RuntimeException typed(String where, JedisException error, boolean connecting) {
    Throwable answer = answer(error, connecting);
    if (answer != null) {
      return RedisErrors.answered(where, answer.getMessage(), error);
    }
    return connecting || isBeforeSending(error)
        ? RedisErrors.notSent(where, error)
        : RedisErrors.noAnswer(where, error);
  }

  /** Of several attempts at a connection, all were answered alike; of those at a command not. */
  private static @Nullable Throwable answer(JedisException error, boolean connecting) {
    if (connecting) {
      return Unreachable.find(error, each -> each instanceof JedisDataException).orElse(null);
    }
    Throwable cause = error;
    while (cause != null && !(cause instanceof JedisDataException)) {
      cause = cause.getCause();
    }
    return cause;
  }

  static boolean isBeforeSending(JedisException error) {
    String message = String.valueOf(error.getMessage());
    boolean silent = error.getCause() instanceof SocketTimeoutException;
    return !silent
        && (message.startsWith("Failed to connect")
            || message.startsWith("Could not get a resource")
            || message.startsWith("Pool not open")
            || (error instanceof JedisClusterOperationException && !isAfterAttempts(error)));
  }

  /** Of several attempts the last one is told; an earlier one may have arrived. */
  private static boolean isAfterAttempts(JedisException error) {
    return error.getCause() instanceof JedisConnectionException || error.getSuppressed().length > 0;
  }
}
