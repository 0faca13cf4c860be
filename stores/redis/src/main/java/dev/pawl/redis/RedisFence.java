package dev.pawl.redis;

import dev.pawl.PawlException;
import dev.pawl.StaleTokenException;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.store.Scripts;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A guard in front of values in Redis: a write counts only if its token is not lower than the
 * highest that was seen for the key.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.in(store);
 * try (Lease lease = pawl.lock("report").acquire()) {
 *   fence.set("report:latest", render(), lease.token());
 * }
 * }</pre>
 *
 * <p>The highest token of a key is kept beside it, under {@code pawl-fence:{KEY}}, for as long as
 * the resource is in use: it does not expire. All writers must go through the fence.
 */
public final class RedisFence {

  private static final String PREFIX = "pawl-fence:";

  private final RedisPort port;
  private final long timeoutMillis;

  private RedisFence(RedisPort port, RedisOptions options) {
    this.port = port;
    this.timeoutMillis = 2 * options.commandTimeout().toMillis();
  }

  /** Returns a fence in the Redis of a store; its values need not be where the locks are. */
  public static RedisFence in(RedisStore store) {
    return new RedisFence(store.port(), store.options());
  }

  /**
   * Sets a value, if the token is not lower than the highest seen, in one step.
   *
   * @throws StaleTokenException if it is lower; nothing was changed
   */
  public void set(String key, String value, long token) {
    run(key, token, List.of(Long.toString(checked(token)), value));
  }

  /**
   * Records a token, and refuses it if it is lower than the highest seen: before a step that cannot
   * be fenced itself.
   *
   * @throws StaleTokenException if it is lower
   */
  public void check(String key, long token) {
    run(key, token, List.of(Long.toString(checked(token))));
  }

  private static long checked(long token) {
    if (token < 0) {
      throw new IllegalArgumentException("token is " + token + "; allowed is 0 and more");
    }
    return token;
  }

  private void run(String key, long token, List<String> args) {
    List<?> answer = Answers.list(await(key, args));
    if (Answers.number(answer.get(0)) == 0) {
      throw new StaleTokenException(
          "\""
              + key
              + "\" has seen token "
              + Answers.text(answer.get(1))
              + ", and refuses "
              + token
              + ": the lock has passed on since");
    }
  }

  private Object await(String key, List<String> args) {
    // One more colon, since x and {x} are two keys.
    String highest = key.contains("{") ? PREFIX + ":" + key : PREFIX + "{" + key + "}";
    if (port.clustered() && Slots.of(highest) != Slots.of(key)) {
      throw new IllegalArgumentException(
          "key \"" + key + "\" has a brace that is no hash tag; a cluster cannot fence it");
    }
    try {
      return port.eval(Scripts.FENCE, List.of(key, highest), args)
          .toCompletableFuture()
          .get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisErrors.noAnswer(port.describe(), e);
    } catch (TimeoutException e) {
      throw RedisErrors.noAnswer(port.describe(), e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PawlException known) {
        throw known;
      }
      throw new PawlException("the fence of \"" + key + "\" failed", e);
    }
  }
}
