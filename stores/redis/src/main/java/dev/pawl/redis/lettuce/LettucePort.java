package dev.pawl.redis.lettuce;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.PartitionSelectorException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The port over Lettuce: one connection a server for all threads, answers on its event loop. */
final class LettucePort implements RedisPort {

  private static final int SCAN_COUNT = 1_000;

  private final LettuceLink link;
  private final LettuceMessages messages;
  private volatile boolean closed;

  LettucePort(LettuceLink link, Duration commandTimeout) {
    this.link = link;
    this.messages = new LettuceMessages(link, commandTimeout);
  }

  @Override
  public String describe() {
    return link.describe();
  }

  @Override
  public boolean blocking() {
    return false;
  }

  @Override
  public boolean clustered() {
    return link.clustered();
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    if (closed) {
      return CompletableFuture.failedFuture(RedisErrors.closed(describe()));
    }
    return typed(new LettuceScript(link, script, keys, args)::run);
  }

  /** Whatever is thrown is what the stage fails with. */
  private <T> CompletionStage<T> typed(Supplier<CompletionStage<T>> sending) {
    try {
      return sending.get().handle(this::settle).thenCompose(Function.identity());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(typed(e));
    }
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    if (closed) {
      return CompletableFuture.failedFuture(RedisErrors.closed(describe()));
    }
    return typed(() -> new LettuceScript(link, script, keys, args).run(replicas, timeout));
  }

  private <T> CompletionStage<T> settle(T value, @Nullable Throwable error) {
    return error == null
        ? CompletableFuture.completedFuture(value)
        : CompletableFuture.failedFuture(typed(error));
  }

  @Override
  public List<RedisProbe> probes() {
    return link.masters().entrySet().stream()
        .<RedisProbe>map(master -> new LettuceProbe(master.getKey(), master.getValue()))
        .toList();
  }

  @Override
  public CompletionStage<List<String>> scan(String pattern) {
    if (closed) {
      return CompletableFuture.failedFuture(RedisErrors.closed(describe()));
    }
    ScanArgs args = ScanArgs.Builder.matches(pattern).limit(SCAN_COUNT);
    List<String> found = new ArrayList<>();
    return typed(() -> link.commands().scan(args).thenCompose(at -> goOn(at, args, found)));
  }

  private CompletionStage<List<String>> goOn(
      KeyScanCursor<String> cursor, ScanArgs args, List<String> found) {
    found.addAll(cursor.getKeys());
    return cursor.isFinished()
        ? CompletableFuture.completedFuture(found)
        : link.commands().scan(cursor, args).thenCompose(next -> goOn(next, args, found));
  }

  @Override
  public Runnable subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    if (closed) {
      throw RedisErrors.closed(describe());
    }
    return messages.subscribe(channel, onMessage, onMissed);
  }

  @Override
  public Runnable subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    if (closed) {
      throw RedisErrors.closed(describe());
    }
    return link.shards()
        .map(shards -> shards.subscribe(channels, onMessage, onMissed))
        .orElse(() -> {});
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      messages.close();
      link.close();
    }
  }

  private RuntimeException typed(Throwable error) {
    return typed(describe(), RedisErrors.unwrap(error));
  }

  /** What one of Lettuce's exceptions means. */
  static RuntimeException typed(String where, Throwable error) {
    if (error instanceof RedisCommandExecutionException) {
      return RedisErrors.answered(where, error.getMessage(), error);
    }
    if (error instanceof RedisConnectionException
        || error instanceof PartitionSelectorException
        || isRejection(error)) {
      return RedisErrors.notSent(where, error);
    }
    return error instanceof dev.pawl.PawlException known
        ? known
        : RedisErrors.noAnswer(where, error);
  }

  /** Lettuce has no type for a command that it did not even try to send. */
  static boolean isRejection(Throwable error) {
    String message = error.getMessage();
    return error.getClass() == RedisException.class
        && message != null
        && (message.contains("not connected") || message.contains("Connection is closed"));
  }
}
