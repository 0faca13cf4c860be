package dev.pawl.redis.port;

import dev.pawl.redis.port.RedisPort.Replicated;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A script that is to be run at the server that has its keys: by its digest, by its text where that
 * is not known, and where another server says that the keys are.
 *
 * <p>Nothing here is sent twice: each of these answers says that nothing was done (I5).
 *
 * @param replicas how many replicas to wait for; zero for none
 * @param timeout how long to wait for them
 */
public record ScriptCall(
    Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {

  /** How often keys may be elsewhere: a slot may move once more meanwhile. */
  private static final int MOST_REDIRECTIONS = 5;

  /** A call that waits for no replica. */
  public static ScriptCall of(Script script, List<String> keys, List<String> args) {
    return new ScriptCall(script, keys, args, 0, Duration.ZERO);
  }

  /** How a client sends a script, once. */
  public interface Sender {

    /**
     * Sends it, with {@code WAIT} behind it on the same connection if replicas are waited for;
     * fails as the client does.
     *
     * @param byDigest whether to send its digest, rather than its text
     * @param to where the keys are said to be; null for where they are supposed to be
     */
    CompletionStage<Replicated> send(ScriptCall call, boolean byDigest, @Nullable Redirection to);
  }

  /**
   * Where a server of a cluster says that keys are.
   *
   * @param asking whether only this once, while their slot is on its way
   */
  public record Redirection(String host, int port, boolean asking) {

    private static final Pattern TEXT = Pattern.compile("(MOVED|ASK) \\d+ (\\S*):(\\d+)");

    private static @Nullable Redirection of(Throwable error) {
      Matcher text = TEXT.matcher(String.valueOf(error.getMessage()));
      return text.lookingAt()
          ? new Redirection(
              text.group(2), Integer.parseInt(text.group(3)), text.group(1).equals("ASK"))
          : null;
    }
  }

  /**
   * Runs it.
   *
   * @param clustered whether there is another server to which keys may have moved
   */
  public CompletionStage<Replicated> run(Sender sender, boolean clustered) {
    return run(sender, null, clustered ? MOST_REDIRECTIONS : 0);
  }

  private CompletionStage<Replicated> run(Sender sender, @Nullable Redirection to, int left) {
    return sender
        .send(this, true, to)
        .exceptionallyCompose(
            error ->
                isUnknownScript(error)
                    ? sender.send(this, false, to)
                    : CompletableFuture.failedFuture(error))
        .exceptionallyCompose(
            error -> {
              Redirection next = left == 0 ? null : Redirection.of(RedisErrors.unwrap(error));
              return next == null
                  ? CompletableFuture.failedFuture(error)
                  : run(sender, next, left - 1);
            });
  }

  private static boolean isUnknownScript(Throwable error) {
    return String.valueOf(RedisErrors.unwrap(error).getMessage()).startsWith("NOSCRIPT");
  }
}
