package dev.pawl.redis;

import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.redis.jedis.JedisPorts;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.store.RedisExamination;
import dev.pawl.redis.store.RedisJournal;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.redis.store.RedisListing;
import dev.pawl.redis.store.RedisProtocol;
import dev.pawl.redis.store.RedisRegisters;
import dev.pawl.redis.store.RedisSignals;
import dev.pawl.redis.store.RenewalsByName;
import dev.pawl.redis.store.Scripts;
import dev.pawl.redis.store.StoredState;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import dev.pawl.text.DurationText;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A store in Redis: one server, the master that Sentinel names, or a cluster.
 *
 * <p>Opened by URL, or over a client that the application has: {@link LettuceStores}, {@link
 * JedisStores}.
 */
public final class RedisStore implements LockStore {

  private final RedisPort port;
  private final RedisOptions options;
  private final RedisKeys keys;
  private final Scripts scripts;
  private final RedisSignals signals;
  private final RedisJournal journal;
  private final RedisRegisters registers;

  RedisStore(RedisPort port, RedisOptions options) {
    this(port, options, port.clustered() ? Scripts.CLUSTERED : Scripts.STANDARD);
  }

  RedisStore(RedisPort port, RedisOptions options, Scripts scripts) {
    this.port = port;
    this.options = options;
    this.keys = new RedisKeys(options.keyPrefix());
    this.scripts = scripts;
    this.signals = new RedisSignals(port, keys, options.commandTimeout());
    this.journal = new RedisJournal(port, keys);
    this.registers = new RedisRegisters(port, keys, this::ask);
  }

  /**
   * Opens the store at a URL, with a client of its own.
   *
   * @throws IllegalArgumentException if the URL is malformed; the message shows no secret
   * @throws dev.pawl.StoreUnavailableException if it cannot be reached
   */
  public static RedisStore open(String url) {
    return open(url, RedisOptions.DEFAULT);
  }

  /** Opens the store at a URL with these options, where the URL says nothing else. */
  public static RedisStore open(String url, RedisOptions options) {
    RedisUrl parsed = RedisUrl.parse(url);
    RedisOptions all = options.with(parsed);
    try {
      RedisPort port =
          parsed.jedis()
              ? JedisPorts.open(parsed, all.commandTimeout())
              : LettucePorts.open(parsed, all.commandTimeout());
      return new RedisStore(port, all);
    } catch (NoClassDefFoundError e) {
      throw new IllegalArgumentException(
          parsed
              + " needs a client library that is not on the class path: "
              + (parsed.jedis()
                  ? "add redis.clients:jedis, or leave out client=jedis"
                  : "add io.lettuce:lettuce-core"),
          e);
    }
  }

  @Override
  public String describe() {
    return port.describe();
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public boolean blocking() {
    return port.blocking();
  }

  @Override
  public String shard(String name) {
    return port.clustered() ? RedisKeys.tag(name) : "";
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return signals.subscribe(node, listener);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return ask(scripts.acquire(), keys(command), RedisProtocol.arguments(command))
        .thenApply(answer -> RedisProtocol.acquireReply(command, answer));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return ask(scripts.yieldGrant(), keys(command), RedisProtocol.arguments(command))
        .thenApply(answer -> RedisProtocol.acquireReply(command.next(), answer));
  }

  private List<String> keys(Command command) {
    return List.of(keys.key(command.name()));
  }

  private CompletionStage<Object> ask(Script script, List<String> key, List<String> args) {
    if (options.replicas() == 0) {
      return port.eval(script, key, args);
    }
    return port.evalReplicated(script, key, args, options.replicas(), options.replicaTimeout())
        .thenApply(this::confirmed);
  }

  /** Says no more than is known: the master has it, and would lose it in a failover now. */
  private Object confirmed(RedisPort.Replicated replicated) {
    if (replicated.replicas() < options.replicas()) {
      throw new OutcomeUnknownException(
          describe()
              + " has it, but "
              + replicated.replicas()
              + " of "
              + options.replicas()
              + " replicas confirmed it within "
              + DurationText.format(options.replicaTimeout()),
          null);
    }
    return replicated.answer();
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return renewTogether(commands)
        .exceptionallyCompose(
            error ->
                commands.size() > 1 && RedisErrors.isOfTwoServers(error)
                    ? renewOneByOne(commands)
                    : CompletableFuture.failedFuture(error));
  }

  /** While a slot moves, names of one tag are on two servers: each can be renewed by itself. */
  private CompletionStage<List<RenewReply>> renewOneByOne(List<Command.Renew> commands) {
    List<CompletableFuture<List<RenewReply>>> parts =
        commands.stream().map(c -> renewTogether(List.of(c)).toCompletableFuture()).toList();
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(done -> parts.stream().flatMap(part -> part.join().stream()).toList());
  }

  private CompletionStage<List<RenewReply>> renewTogether(List<Command.Renew> commands) {
    RenewalsByName renewals = new RenewalsByName(commands);
    return port.eval(scripts.renew(), renewals.keys(keys), renewals.arguments())
        .thenApply(renewals::replies);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return run(scripts.release(), command, RedisProtocol.arguments(command))
        .thenApply(RedisProtocol::releaseReply);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return run(scripts.cancel(), command, RedisProtocol.arguments(command))
        .thenApply(RedisProtocol::cancelReply);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return run(scripts.evict(), command, RedisProtocol.arguments(command))
        .thenApply(RedisProtocol::evictReply);
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return run(scripts.reset(), command, RedisProtocol.arguments(command))
        .thenApply(RedisProtocol::resetReply);
  }

  private CompletionStage<Object> run(Script script, Command command, List<String> args) {
    return port.eval(script, keys(command), args);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return port.eval(scripts.find(), List.of(keys.key(name)), List.of())
        .thenApply(answer -> StoredState.infos(List.of(name), answer).stream().findFirst());
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return new RedisListing(port, keys, scripts.find()).list(listing);
  }

  /** Returns what {@code TIME} says; in a cluster that of the master with the journal. */
  @Override
  public CompletionStage<Long> nowMicros() {
    return port.eval(Scripts.NOW, List.of(keys.journal()), List.of())
        .thenApply(answer -> Answers.number(Answers.list(answer).get(0)));
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return RedisExamination.of(port.probes(), options.replicas());
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public Registers registers() {
    return registers;
  }

  RedisPort port() {
    return port;
  }

  RedisOptions options() {
    return options;
  }

  @Override
  public void close() {
    port.close();
  }
}
