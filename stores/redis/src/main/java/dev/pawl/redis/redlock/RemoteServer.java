package dev.pawl.redis.redlock;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.port.SilenceGate;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.redis.store.RedisProtocol;
import dev.pawl.redis.store.RenewalsByName;
import dev.pawl.redis.store.Scripts;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A real server: Redlock's scripts, each with a timeout far below the lease. */
public final class RemoteServer implements RedlockServer {

  /** The answer of a server that is not to be counted on yet. */
  private static final long TOO_YOUNG = 6;

  private final RedisPort port;
  private final RedisKeys keys;
  private final Duration timeout;
  private final Duration restartDelay;
  private final RedlockScripts scripts;
  private final SilenceGate gate;

  /** The last command about a claim, while it is not answered. */
  private final ConcurrentMap<ClaimId, CompletableFuture<?>> last = new ConcurrentHashMap<>();

  /** The server behind a port; how long it may take to answer, and to be up before it votes. */
  public RemoteServer(RedisPort port, RedisKeys keys, Duration timeout, Duration restartDelay) {
    this(port, keys, timeout, restartDelay, RedlockScripts.STANDARD);
  }

  RemoteServer(
      RedisPort port,
      RedisKeys keys,
      Duration timeout,
      Duration restartDelay,
      RedlockScripts scripts) {
    this.scripts = scripts;
    this.port = port;
    this.gate = new SilenceGate(port.describe());
    this.keys = keys;
    this.timeout = timeout;
    this.restartDelay = restartDelay;
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command, long floor) {
    List<String> args = voting(List.of(RedisProtocol.claimText(command)), floor);
    args.add(RedisProtocol.lasts(command));
    args.add(Long.toString(command.leaseMicros() - command.span()));
    return run(command.claim(), scripts.acquire(), command, args)
        .thenApply(answer -> vote(command, answer));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command, long floor) {
    List<String> args = voting(RedisProtocol.arguments(command), floor);
    ClaimId before = command.release().claim();
    return within(
            gated(
                () ->
                    inOrder(
                        command.next().claim(),
                        () -> inOrder(before, () -> eval(scripts.yieldGrant(), command, args)))))
        .thenApply(answer -> vote(command.next(), answer));
  }

  private List<String> voting(List<String> arguments, long floor) {
    List<String> all = new ArrayList<>(arguments);
    all.add(Long.toString(floor));
    all.add(Long.toString(restartDelay.toSeconds()));
    return all;
  }

  private AcquireReply vote(Command.Acquire command, Object answer) {
    if (Answers.list(answer).get(0) instanceof Long code && code == TOO_YOUNG) {
      throw new StoreUnavailableException(
          port.describe()
              + " does not vote until it has been up for "
              + DurationText.format(restartDelay)
              + " (restartDelay)",
          null);
    }
    return RedisProtocol.acquireReply(command, answer);
  }

  @Override
  public CompletionStage<Boolean> setToken(Command.Acquire command, long token) {
    List<String> args = List.of(command.claim().toString(), Long.toString(token));
    return run(command.claim(), scripts.token(), command, args)
        .thenApply(answer -> Answers.number(Answers.list(answer).get(0)) == 1);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    RenewalsByName renewals = new RenewalsByName(commands);
    return within(
            gated(
                () ->
                    port.eval(scripts.others().renew(), renewals.keys(keys), renewals.arguments())))
        .thenApply(renewals::replies);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    List<String> args = new ArrayList<>(RedisProtocol.arguments(command));
    args.add(Long.toString(command.usedToken() / 1_000 + 1));
    return run(command.claim(), scripts.release(), command, args)
        .thenApply(RedisProtocol::releaseReply);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return run(command.claim(), scripts.cancel(), command, RedisProtocol.arguments(command))
        .thenApply(RedisProtocol::cancelReply);
  }

  @Override
  public CompletionStage<CancelReply> takeBack(Command.Acquire refused) {
    List<String> args = List.of(refused.claim().toString(), "0", refused.queue() ? "1" : "0");
    return run(refused.claim(), scripts.cancel(), refused, args)
        .thenApply(RedisProtocol::cancelReply);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return within(
            gated(() -> eval(scripts.others().evict(), command, RedisProtocol.arguments(command))))
        .thenApply(RedisProtocol::evictReply);
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return within(gated(() -> port.eval(Scripts.NOW, List.of(keys.journal()), List.of())))
        .thenApply(answer -> Answers.number(Answers.list(answer).get(0)));
  }

  private CompletionStage<Object> run(
      ClaimId claim, Script script, Command command, List<String> args) {
    Supplier<CompletionStage<Object>> ordered =
        () -> inOrder(claim, () -> eval(script, command, args));
    // What ends a claim is sent even to a silent server, if a vote of it may be under way there.
    return within(last.containsKey(claim) ? ordered.get().toCompletableFuture() : gated(ordered));
  }

  private CompletionStage<Object> eval(Script script, Command command, List<String> args) {
    return port.eval(script, List.of(keys.key(command.name())), args);
  }

  /**
   * Sends a command about a claim when the one before it is answered, however late that is. A
   * script that the server does not know is sent twice: one that was sent behind it could come
   * first, and leave a vote for nobody.
   */
  private CompletableFuture<Object> inOrder(
      ClaimId claim, Supplier<CompletionStage<Object>> command) {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    CompletableFuture<?> before = last.put(claim, answer);
    CompletionStage<Object> sent =
        before == null
            ? command.get()
            : before.handle((done, error) -> 0).thenCompose(next -> command.get());
    var unused =
        sent.whenComplete(
            (value, error) -> {
              last.remove(claim, answer);
              if (error == null) {
                answer.complete(value);
              } else {
                answer.completeExceptionally(RedisErrors.unwrap(error));
              }
            });
    return answer;
  }

  private CompletableFuture<Object> gated(Supplier<CompletionStage<Object>> command) {
    return gate.call(command).toCompletableFuture();
  }

  /** Does not wait for an answer any longer; whatever is sent next does. */
  private CompletionStage<Object> within(CompletableFuture<Object> answer) {
    return answer
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (value, error) -> {
              if (error instanceof TimeoutException) {
                gate.onOverdue();
              }
            });
  }
}
