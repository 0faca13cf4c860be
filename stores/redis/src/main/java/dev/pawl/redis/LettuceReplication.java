package dev.pawl.redis;

import dev.pawl.redis.RedisPort.Replicated;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script with {@code WAIT} behind it, over Lettuce: both on one connection, which is what the
 * wait is about, to the server that has the key. Lettuce does not follow a slot there.
 */
record LettuceReplication(
    LettuceLink link,
    Script script,
    List<String> keys,
    List<String> args,
    int replicas,
    Duration timeout) {

  private static final Pattern REDIRECTION = Pattern.compile("(MOVED|ASK) \\d+ (\\S+):(\\d+)");

  /** Runs it; fails as Lettuce does. */
  CompletionStage<Replicated> run() {
    return link.waitingCommands(keys.get(0))
        .thenCompose(on -> run(on, false))
        .exceptionallyCompose(error -> redirected(RedisErrors.unwrap(error)));
  }

  private CompletionStage<Replicated> redirected(Throwable error) {
    Matcher to = REDIRECTION.matcher(String.valueOf(error.getMessage()));
    return link.clustered() && error instanceof RedisCommandExecutionException && to.lookingAt()
        ? link.waitingCommands(to.group(2), Integer.parseInt(to.group(3)))
            .thenCompose(on -> run(on, to.group(1).equals("ASK")))
        : CompletableFuture.failedFuture(error);
  }

  /** By its digest, and by its text where that is not known. */
  private CompletionStage<Replicated> run(
      RedisClusterAsyncCommands<String, String> on, boolean asking) {
    return run(on, asking, true)
        .exceptionallyCompose(
            error ->
                RedisErrors.unwrap(error) instanceof RedisNoScriptException
                    ? run(on, asking, false)
                    : CompletableFuture.failedFuture(error));
  }

  /** The script and the wait leave together: one round trip, and what the replicas need. */
  private CompletionStage<Replicated> run(
      RedisClusterAsyncCommands<String, String> on, boolean asking, boolean digest) {
    if (asking) {
      var unused = on.asking();
    }
    String[] keyArray = keys.toArray(String[]::new);
    String[] argArray = args.toArray(String[]::new);
    RedisFuture<Object> sent =
        digest
            ? on.evalsha(script.sha(), ScriptOutputType.MULTI, keyArray, argArray)
            : on.eval(script.text(), ScriptOutputType.MULTI, keyArray, argArray);
    RedisFuture<Long> waited = on.waitForReplication(replicas, timeout.toMillis());
    return sent.thenCombine(waited, Replicated::new);
  }
}
