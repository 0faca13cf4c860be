package dev.pawl.redis.port;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * What the store needs of a client library: the place where a team brings the one it has.
 *
 * <p>Every script answers with a list, of {@code Long}, {@code String}, lists and nulls; one that
 * returns a single value, with a list of one. Failures are already typed, by {@link RedisErrors}.
 */
public interface RedisPort extends AutoCloseable {

  /** Returns where it is connected to, without a secret. */
  String describe();

  /** Tells whether {@link #eval} does its I/O in the calling thread. */
  boolean blocking();

  /** Tells whether one command may only hold keys of one tag. */
  boolean clustered();

  /** Runs a script by its digest, and loads it where the server does not know it. */
  CompletionStage<Object> eval(Script script, List<String> keys, List<String> args);

  /**
   * Runs a script, and waits on the same connection until so many replicas have what it wrote.
   *
   * @return the answer, and how many replicas have it
   */
  CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout);

  /** Returns the servers that locks are on, to be looked at: the masters. */
  List<RedisProbe> probes();

  /** Returns the keys that match a pattern, on all servers; some may come twice. */
  CompletionStage<List<String>> scan(String pattern);

  /**
   * Delivers the messages of a channel, from its confirmation on, until the subscription is ended.
   * A connection that breaks or falls silent is replaced.
   *
   * @param onMissed called whenever messages may have been missed
   */
  Subscription subscribe(String channel, Consumer<String> onMessage, Runnable onMissed);

  /**
   * Delivers the messages of shard channels, as far as the servers of a cluster have them; nothing
   * where there is but one server. Until it is confirmed, whoever publishes sees that nobody
   * listens yet, and uses the channel of {@link #subscribe}.
   *
   * @param onMissed called whenever messages may have been missed
   */
  Subscription subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed);

  @Override
  void close();

  /** A script's answer, and how many replicas have what it wrote. */
  record Replicated(Object answer, long replicas) {}

  /**
   * What was subscribed to.
   *
   * @param confirmed done when the server has confirmed it, or failed if it could not at first: it
   *     is tried again all the same
   * @param ending ends it
   */
  record Subscription(CompletableFuture<Void> confirmed, Runnable ending) {

    /** Nothing to subscribe to. */
    public static final Subscription NONE =
        new Subscription(CompletableFuture.completedFuture(null), () -> {});

    /** Ends it. */
    public void end() {
      ending.run();
    }
  }
}
