package dev.pawl.redis.jedis;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.Unreachable;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What failures of Jedis mean. */
final class JedisErrors {

  private JedisErrors() {}

  /**
   * Returns what one of Jedis's exceptions means.
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

  /** Returns why there is no first connection. */
  static RuntimeException atFirst(String where, JedisException error) {
    Throwable answer = answer(error, true);
    return answer != null
        ? RedisErrors.answered(where, answer.getMessage(), error)
        : RedisErrors.notConnected(where, error);
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

  /** Tells whether nothing of a command can have left. */
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

  /**
   * Tells whether a connection was there and is not any more: a server that is down has none, and
   * one that is silent has not lost it. Of several attempts the last one tells; what a connection
   * suppressed came after its own end.
   */
  static boolean isBroken(JedisException error) {
    Throwable[] attempts = error.getSuppressed();
    boolean several = attempts.length > 0 && !(error instanceof JedisConnectionException);
    return (several ? attempts[0] : error) instanceof JedisConnectionException last
        && !(last.getCause() instanceof SocketTimeoutException)
        && !isBeforeSending(last);
  }
}
