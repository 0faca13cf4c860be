package dev.pawl.redis.feed;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * How channels are heard that all servers hear of: at one, whichever the client connects to.
 *
 * @param server where that is, for messages
 */
public record OneServer(String server, Opening opening) implements MessageLink {

  private static final Duration RETRY_DELAY = Duration.ofMillis(50);

  /** Connects, and subscribes to a channel. */
  public interface Opening {
    CompletionStage<Connection> open(String channel, Listener listener);
  }

  @Override
  public String server(String channel) {
    return server;
  }

  @Override
  public CompletionStage<Void> refresh() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public Duration retryDelay() {
    return RETRY_DELAY;
  }

  @Override
  public CompletionStage<Connection> open(String channel, Listener listener) {
    return opening.open(channel, listener);
  }
}
