package dev.pawl.redis;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** A real server: Redlock's scripts, each with a time-out far below the lease. */
final class RedlockPort implements RedlockServer {

  /** The answer of a server that is not to be counted on yet. */
  private static final long TOO_YOUNG = 6;

  private final RedisPort port;
  private final RedisKeys keys;
  private final RedlockOptions options;
  private final RedlockScripts scripts;

  /** Votes that are being taken back. */
  private final ConcurrentMap<ClaimId, CompletableFuture<?>> takenBack = new ConcurrentHashMap<>();

  RedlockPort(RedisPort port, RedlockOptions options) {
    this(port, options, RedlockScripts.STANDARD);
  }

  RedlockPort(RedisPort port, RedlockOptions options, RedlockScripts scripts) {
    this.scripts = scripts;
    this.port = port;
    this.keys = new RedisKeys(options.keyPrefix());
    this.options = options;
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command, long floor) {
    List<String> args = voting(List.of(RedisProtocol.text(command)), floor);
    args.add(RedisProtocol.lasts(command));
    args.add(Long.toString(command.leaseMicros() - command.span()));
    return behind(command.claim(), scripts.acquire(), command, args)
        .thenApply(answer -> vote(command, answer));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command, long floor) {
    List<String> args = voting(RedisProtocol.arguments(command), floor);
    return behind(command.next().claim(), scripts.yieldGrant(), command, args)
        .thenApply(answer -> vote(command.next(), answer));
  }

  private List<String> voting(List<String> arguments, long floor) {
    List<String> all = new ArrayList<>(arguments);
    all.add(Long.toString(floor));
    all.add(Long.toString(options.restartDelay().toSeconds()));
    return all;
  }

  private AcquireReply vote(Command.Acquire command, Object answer) {
    if (RedisProtocol.list(answer).get(0) instanceof Long code && code == TOO_YOUNG) {
      throw new StoreUnavailableException(
          port.describe() + " was started less than " + options.restartDelay() + " ago", null);
    }
    return RedisProtocol.acquireReply(command, answer);
  }

  @Override
  public CompletionStage<Boolean> setToken(Command.Acquire command, long token) {
    return run(scripts.token(), command, List.of(command.claim().toString(), Long.toString(token)))
        .thenApply(answer -> RedisProtocol.number(RedisProtocol.list(answer).get(0)) == 1);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    List<String> names = commands.stream().map(c -> keys.key(c.name())).toList();
    return within(port.eval(scripts.others().renew(), names, RedisProtocol.arguments(commands)))
        .thenApply(answer -> RedisProtocol.renewReplies(commands, answer));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    List<String> args = new ArrayList<>(RedisProtocol.arguments(command));
    args.add(Long.toString(command.usedToken() / 1_000 + 1));
    return run(scripts.release(), command, args).thenApply(RedisProtocol::releaseReply);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return takeBack(command.claim(), command, RedisProtocol.arguments(command));
  }

  @Override
  public CompletionStage<CancelReply> takeBack(Command.Acquire refused) {
    List<String> args = List.of(refused.claim().toString(), "0", refused.queue() ? "1" : "0");
    return takeBack(refused.claim(), refused, args);
  }

  /** Remembers it until it is answered, however late that is. */
  private CompletionStage<CancelReply> takeBack(ClaimId claim, Command command, List<String> args) {
    CompletableFuture<Object> answer = send(scripts.cancel(), command, args);
    CompletableFuture<?> all =
        takenBack.merge(claim, answer, (before, last) -> CompletableFuture.allOf(before, last));
    var unused = all.whenComplete((done, error) -> takenBack.remove(claim, all));
    return within(answer.copy()).thenApply(RedisProtocol::cancelReply);
  }

  /**
   * Asks for a vote. One that is being taken back comes first: a script that the server does not
   * know is sent twice, and could take back the vote that is asked for here.
   */
  private CompletionStage<Object> behind(
      ClaimId claim, Script script, Command command, List<String> args) {
    CompletableFuture<?> before = takenBack.get(claim);
    return before == null
        ? run(script, command, args)
        : within(
            before.handle((done, error) -> 0).thenCompose(next -> send(script, command, args)));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return run(scripts.others().evict(), command, RedisProtocol.arguments(command))
        .thenApply(RedisProtocol::evictReply);
  }

  private CompletionStage<Object> run(Script script, Command command, List<String> args) {
    return within(send(script, command, args));
  }

  private CompletableFuture<Object> send(Script script, Command command, List<String> args) {
    return port.eval(script, List.of(keys.key(command.name())), args).toCompletableFuture();
  }

  private CompletionStage<Object> within(CompletionStage<Object> answer) {
    return answer
        .toCompletableFuture()
        .orTimeout(options.serverTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }
}
