package dev.pawl.redis.lettuce;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort.Replicated;
import dev.pawl.redis.port.ScriptCall;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** How Lettuce sends a script, once. */
record LettuceScript(LettuceLink link) implements ScriptCall.Sender {

  @Override
  public CompletionStage<Replicated> send(
      ScriptCall call, boolean byDigest, ScriptCall.@Nullable Redirection to) {
    String key = call.keys().get(0);
    if (call.replicas() > 0) {
      return (to == null ? link.waitingCommands(key) : link.waitingCommands(to.host(), to.port()))
          .thenCompose(on -> sendWaiting(on, call, byDigest, to != null && to.asking()));
    }
    return link.commands(key)
        .thenCompose(on -> sendAlone(on, call, byDigest))
        .exceptionallyCompose(error -> sendOn(call, byDigest, RedisErrors.unwrap(error)));
  }

  /** Where a slot has moved is followed by Lettuce itself. */
  private CompletionStage<Replicated> sendAlone(
      RedisClusterAsyncCommands<String, String> on, ScriptCall call, boolean byDigest) {
    return eval(on, call, byDigest).thenApply(answer -> new Replicated(answer, 0));
  }

  /**
   * A slot that moved, or is about to, leads to a master to which there may be no connection yet.
   * What was refused for that reason was not sent, and is not a copy if it is sent then.
   */
  private CompletionStage<Replicated> sendOn(ScriptCall call, boolean byDigest, Throwable error) {
    return link.clustered() && LettuceErrors.isRejection(error)
        ? link.opened().thenCompose(done -> sendAlone(link.commands(), call, byDigest))
        : CompletableFuture.failedFuture(error);
  }

  /** The script and the wait leave together: one round trip, and what the replicas need. */
  private CompletionStage<Replicated> sendWaiting(
      RedisClusterAsyncCommands<String, String> on,
      ScriptCall call,
      boolean byDigest,
      boolean asking) {
    if (asking) {
      var unused = on.asking();
    }
    RedisFuture<Object> sent = eval(on, call, byDigest);
    RedisFuture<Long> waited = on.waitForReplication(call.replicas(), call.timeout().toMillis());
    return sent.thenCombine(waited, Replicated::new);
  }

  private RedisFuture<Object> eval(
      RedisClusterAsyncCommands<String, String> on, ScriptCall call, boolean byDigest) {
    String[] keys = call.keys().toArray(String[]::new);
    String[] args = call.args().toArray(String[]::new);
    RedisFuture<Object> answer =
        byDigest
            ? on.evalsha(call.script().sha(), ScriptOutputType.MULTI, keys, args)
            : on.eval(call.script().text(), ScriptOutputType.MULTI, keys, args);
    var unused =
        answer.whenComplete(
            (value, error) -> {
              if (error != null && RedisErrors.isReadOnly(error)) {
                link.onReadOnly(on);
              }
            });
    return answer;
  }
}
