package dev.pawl.redis.feed;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Sees whether a connection for messages is alive: it is pinged, and replaced if there is no answer
 * by the next time. A server that has stopped, or a way there that swallows everything, closes
 * nothing, so that no client sees it by itself.
 */
public final class Heartbeat {

  /** How long a silent connection may cost waiters their hints; polls stand behind them (I8). */
  static final Duration EVERY = Duration.ofSeconds(3);

  public static final Executor LATER =
      CompletableFuture.delayedExecutor(EVERY.toMillis(), TimeUnit.MILLISECONDS);

  private Heartbeat() {}

  /** A connection that is watched. */
  public interface Watched {

    /** Tells whether it is still used. */
    boolean isUsed();

    /** Sends a ping, and tells of its answer. */
    CompletionStage<?> probe();

    /** Puts another one in its place. */
    void replace();
  }

  /** Watches a connection until it is used no more, or is replaced. */
  public static void watch(Watched connection) {
    if (!connection.isUsed()) {
      return;
    }
    CompletableFuture<?> pong = connection.probe().toCompletableFuture();
    LATER.execute(
        () -> {
          if (!connection.isUsed()) {
            return;
          }
          if (pong.isDone() && !pong.isCompletedExceptionally()) {
            watch(connection);
          } else {
            connection.replace();
          }
        });
  }
}
