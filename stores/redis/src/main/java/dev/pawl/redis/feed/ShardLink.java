package dev.pawl.redis.feed;

import dev.pawl.redis.port.RedisErrors;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How {@link ShardMessages} reaches the masters of a cluster, by one client library or the other.
 * Failures are already typed, by {@link RedisErrors}.
 */
public interface ShardLink {

  /** Returns the master that has a slot, as far as is known. */
  @Nullable String master(int slot);

  /** Asks the cluster which master has which slot. */
  CompletionStage<Void> refresh();

  /** Connects to the master of a channel's slot, and subscribes to the channel. */
  CompletionStage<Line> open(String channel, Listener listener);

  /** A connection to one master, used by one thread at a time. */
  interface Line {

    /** Subscribes to a further channel; the answer is the same if it was subscribed to. */
    CompletionStage<Void> subscribe(String channel);

    /** Ends the subscription to a channel, without waiting for it. */
    void unsubscribe(String channel);

    /** Closes it at once, from any thread. */
    void close();
  }

  /** What is heard on a connection. */
  interface Listener {

    /** A message was published. */
    void onMessage(String channel, String message);

    /** The server ended a subscription: the channel's slot is elsewhere now. */
    void onUnsubscribed(String channel);

    /** The connection is gone. */
    void onClosed();
  }
}
