package dev.pawl.redis.feed;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How {@link Messages} reaches servers, by one client library or the other. Failures are already
 * typed, by {@link dev.pawl.redis.port.RedisErrors}.
 */
public interface MessageLink {

  /** Returns the server at which a channel is heard, as far as is known. */
  @Nullable String server(String channel);

  /** Finds out anew at which server each channel is heard. */
  CompletionStage<Void> refresh();

  /**
   * Returns how long to wait before it is looked again. What changes in a cluster changes for
   * several channels, and not on all servers at once.
   */
  default Duration retryDelay() {
    return Duration.ofMillis(200);
  }

  /** Connects to the server of a channel, and subscribes to the channel. */
  CompletionStage<Connection> open(String channel, Listener listener);

  /** A connection to one server, used by one thread at a time. */
  interface Connection {

    /** Subscribes to a channel; the answer is the same if it was subscribed to. */
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

    /** The server ended a subscription: the channel is heard elsewhere now. */
    void onUnsubscribed(String channel);

    /** The connection is gone. */
    void onClosed();
  }
}
