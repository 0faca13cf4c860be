package dev.pawl.redis.lettuce;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** How {@link LettucePort} gets its connections: to one server, through Sentinel, or a cluster. */
interface LettuceLink {

  /** Returns where it is connected to, without a secret. */
  String describe();

  /** Returns the commands of the connection that everything shares. */
  RedisClusterAsyncCommands<String, String> commands();

  /** Returns the same as soon as there is a connection to the server that has the key. */
  CompletionStage<RedisClusterAsyncCommands<String, String>> commands(String key);

  /**
   * Returns the commands of a connection for scripts that are followed by {@code WAIT}, which holds
   * up whatever is sent behind it; the same server for the same key.
   */
  CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(String key);

  /** Returns the same of the server that another one has named, in a cluster. */
  CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(String host, int port);

  /** The server behind a connection is a replica; the address may lead to the master by now. */
  void onReadOnly(RedisClusterAsyncCommands<String, String> connection);

  /** Waits until connections to the servers that are there have been opened, or could not be. */
  CompletionStage<Void> opened();

  /** Opens a connection for messages. */
  CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> connectPubSub();

  /** Returns how shard channels are heard, if there are any. */
  Optional<LettuceShards> shards();

  /** Tells whether one command may only hold keys of one slot. */
  boolean clustered();

  /** Returns the masters by address, each with what gets the commands of a connection to it. */
  Map<String, Supplier<CompletionStage<RedisClusterAsyncCommands<String, String>>>> masters();

  /** Returns why there is no connection, if it was tried to open one again and that failed. */
  Optional<Throwable> failure();

  /** Closes what was opened here, and the client if it is ours. */
  void close();

  /** Closes a connection without waiting for it. */
  static void closeLater(StatefulConnection<?, ?> connection) {
    var unused = connection.closeAsync();
  }
}
