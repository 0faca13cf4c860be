package dev.pawl.redis.lettuce;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort.Replicated;
import dev.pawl.redis.port.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A script over Lettuce: by its digest, and by its text where the server does not know it. */
final class LettuceScript {

  private static final Pattern REDIRECTION = Pattern.compile("(MOVED|ASK) \\d+ (\\S+):(\\d+)");

  private final LettuceLink link;
  private final Script script;
  private final String[] keys;
  private final String[] args;

  LettuceScript(LettuceLink link, Script script, List<String> keys, List<String> args) {
    this.link = link;
    this.script = script;
    this.keys = keys.toArray(String[]::new);
    this.args = args.toArray(String[]::new);
  }

  /** Runs it; fails as Lettuce does. */
  CompletionStage<Object> run() {
    return link.commands(keys[0])
        .thenCompose(on -> byDigestOrText(digest -> send(on, digest)))
        .exceptionallyCompose(error -> sentOn(RedisErrors.unwrap(error)));
  }

  /**
   * A slot that moved, or is about to, leads to a master to which there may be no connection yet.
   * What was refused for that reason was not sent, and is not a copy if it is sent then.
   */
  private CompletionStage<Object> sentOn(Throwable error) {
    return link.clustered() && LettucePort.isRejection(error)
        ? link.opened().thenCompose(done -> byDigestOrText(digest -> send(link.commands(), digest)))
        : CompletableFuture.failedFuture(error);
  }

  private RedisFuture<Object> send(RedisClusterAsyncCommands<String, String> on, boolean digest) {
    return digest
        ? on.evalsha(script.sha(), ScriptOutputType.MULTI, keys, args)
        : on.eval(script.text(), ScriptOutputType.MULTI, keys, args);
  }

  private static <T> CompletionStage<T> byDigestOrText(
      Function<Boolean, ? extends CompletionStage<T>> sending) {
    return sending
        .apply(true)
        .exceptionallyCompose(
            error ->
                RedisErrors.unwrap(error) instanceof RedisNoScriptException
                    ? sending.apply(false)
                    : CompletableFuture.failedFuture(error));
  }

  /**
   * Runs it with {@code WAIT} behind it: both on one connection, which is what the wait is about,
   * to the server that has the key. Lettuce does not follow a slot there.
   */
  CompletionStage<Replicated> run(int replicas, Duration timeout) {
    return link.waitingCommands(keys[0])
        .thenCompose(on -> run(on, false, replicas, timeout))
        .exceptionallyCompose(error -> redirected(RedisErrors.unwrap(error), replicas, timeout));
  }

  private CompletionStage<Replicated> redirected(Throwable error, int replicas, Duration timeout) {
    Matcher to = REDIRECTION.matcher(String.valueOf(error.getMessage()));
    return link.clustered() && error instanceof RedisCommandExecutionException && to.lookingAt()
        ? link.waitingCommands(to.group(2), Integer.parseInt(to.group(3)))
            .thenCompose(on -> run(on, to.group(1).equals("ASK"), replicas, timeout))
        : CompletableFuture.failedFuture(error);
  }

  /** The script and the wait leave together: one round trip, and what the replicas need. */
  private CompletionStage<Replicated> run(
      RedisClusterAsyncCommands<String, String> on,
      boolean asking,
      int replicas,
      Duration timeout) {
    return byDigestOrText(
        digest -> {
          if (asking) {
            var unused = on.asking();
          }
          RedisFuture<Object> sent = send(on, digest);
          RedisFuture<Long> waited = on.waitForReplication(replicas, timeout.toMillis());
          return sent.thenCombine(waited, Replicated::new);
        });
  }
}
