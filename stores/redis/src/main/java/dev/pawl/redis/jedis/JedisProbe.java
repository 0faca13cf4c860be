package dev.pawl.redis.jedis;

import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisProbe;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A server behind Jedis.
 *
 * @param command runs a command there
 */
record JedisProbe(String address, Function<CommandArguments, Object> command)
    implements RedisProbe {

  /** The servers of a client; of a cluster, the masters. */
  static List<RedisProbe> of(UnifiedJedis client, String where) {
    if (!(client instanceof RedisClusterClient cluster)) {
      String address = where.contains("://") ? where.substring(where.indexOf("://") + 3) : where;
      return List.of(new JedisProbe(address, client::executeCommand));
    }
    return cluster.getClusterNodes().entrySet().stream()
        .<RedisProbe>map(
            node -> new JedisProbe(node.getKey(), words -> run(node.getValue(), words)))
        .filter(probe -> !isReplica(probe))
        .toList();
  }

  private static Object run(ConnectionPool pool, CommandArguments words) {
    try (Connection connection = pool.getResource()) {
      return connection.executeCommand(words);
    }
  }

  /** Jedis does not tell; a server that cannot be asked is looked at, which says so. */
  private static boolean isReplica(RedisProbe probe) {
    CompletableFuture<String> info = probe.info().toCompletableFuture();
    return !info.isCompletedExceptionally() && info.join().contains("role:slave");
  }

  @Override
  public CompletionStage<String> info() {
    return ask(new CommandArguments(Protocol.Command.INFO), JedisProbe::text);
  }

  @Override
  public CompletionStage<String> setting(String name) {
    return ask(
        new CommandArguments(Protocol.Command.CONFIG).add("GET").add(name),
        answer -> {
          List<?> found = Answers.list(answer);
          return found.size() < 2 ? "" : text(found.get(1));
        });
  }

  private CompletionStage<String> ask(CommandArguments words, Function<Object, String> read) {
    try {
      return CompletableFuture.completedFuture(read.apply(command.apply(words)));
    } catch (JedisException e) {
      return CompletableFuture.failedFuture(JedisPort.typed(address, e, false));
    }
  }

  private static String text(Object answer) {
    return answer instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : Answers.text(answer);
  }
}
