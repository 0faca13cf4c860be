package dev.pawl.redis;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.FirstConnection;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.redlock.LazyPort;
import dev.pawl.redis.redlock.Redlock;
import dev.pawl.redis.redlock.RedlockExamination;
import dev.pawl.redis.redlock.RedlockJournal;
import dev.pawl.redis.redlock.RedlockSignals;
import dev.pawl.redis.redlock.RemoteServer;
import dev.pawl.redis.store.RedisJournal;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A store in several independent Redis servers, of which a majority must be up: Redlock.
 *
 * <p>Exclusive and read-write locks. No queue, hence no fair order; no semaphores and no marks:
 * each server would count for itself, and a majority does not make one number of several.
 */
public final class RedlockStore implements LockStore {

  /** How often a vote that is split among several who asked at once is repeated. */
  private static final int ROUNDS = 5;

  /** A server that has not answered by then never will; it has not voted long before. */
  private static final Duration COMMAND_TIMEOUT = RedisOptions.DEFAULT.commandTimeout();

  private final String where;
  private final List<LazyPort> ports;
  private final RedlockOptions options;
  private final Runnable onClose;
  private final Redlock redlock;
  private final RedlockSignals signals;
  private final RedlockJournal journal;
  private volatile boolean closed;

  private RedlockStore(
      String where, List<LazyPort> ports, RedlockOptions options, Runnable onClose) {
    this.where = where;
    this.ports = ports;
    this.options = options;
    this.onClose = onClose;
    LongSupplier clock = steadyMicros();
    RedisKeys keys = new RedisKeys(options.keyPrefix());
    this.redlock =
        new Redlock(
            where,
            ports.stream()
                .map(
                    port ->
                        new RemoteServer(
                            port, keys, options.serverTimeout(), options.restartDelay()))
                .toList(),
            clock,
            ROUNDS);
    this.signals = new RedlockSignals(ports, keys, clock);
    this.journal =
        new RedlockJournal(where, ports.stream().map(p -> new RedisJournal(p, keys)).toList());
  }

  /**
   * Opens the servers of a URL, with clients of their own.
   *
   * @throws IllegalArgumentException if the URL is malformed; the message shows no secret
   * @throws StoreUnavailableException if fewer than a majority can be reached
   */
  public static RedlockStore open(String url) {
    return open(url, RedlockOptions.DEFAULT);
  }

  /** Opens the servers of a URL with these options, where the URL says nothing else. */
  public static RedlockStore open(String url, RedlockOptions options) {
    RedisUrl parsed = RedisUrl.parse(url);
    RedlockOptions all =
        options
            .withKeyPrefix(parsed.parameters().getOrDefault("prefix", options.keyPrefix()))
            .withServerTimeout(parsed.duration("serverTimeout", options.serverTimeout()))
            .withRestartDelay(parsed.duration("restartDelay", options.restartDelay()));
    LettucePorts.Shared client = new LettucePorts.Shared(commandTimeout(all));
    List<LazyPort> ports = new ArrayList<>();
    for (RedisUrl.Host host : parsed.hosts()) {
      RedisUrl one =
          new RedisUrl(
              parsed.tls() ? "rediss" : "redis",
              parsed.user(),
              parsed.password(),
              List.of(host),
              "",
              parsed.parameters());
      ports.add(new LazyPort(one.toString(), () -> client.open(one)));
    }
    return open(parsed.toString(), ports, all, client::close);
  }

  /** Opens a store over clients that the caller owns, one for each server. */
  public static RedlockStore over(Map<RedisURI, RedisClient> servers, RedlockOptions options) {
    Duration timeout = commandTimeout(options);
    List<LazyPort> ports = new ArrayList<>();
    List<String> names = new ArrayList<>();
    servers.forEach(
        (uri, client) -> {
          String name = uri.getHost() + ":" + uri.getPort();
          names.add(name);
          ports.add(new LazyPort("redis://" + name, () -> LettucePorts.over(client, uri, timeout)));
        });
    return open("redlock://" + String.join(",", names), ports, options, () -> {});
  }

  /** A server that may take longer to answer is not given up by its client before. */
  private static Duration commandTimeout(RedlockOptions options) {
    Duration ofServer = options.serverTimeout();
    return ofServer.compareTo(COMMAND_TIMEOUT) > 0 ? ofServer : COMMAND_TIMEOUT;
  }

  private static RedlockStore open(
      String where, List<LazyPort> ports, RedlockOptions options, Runnable onClose) {
    if (ports.size() < 3 || ports.size() % 2 == 0) {
      onClose.run();
      throw new IllegalArgumentException(
          where + " has " + ports.size() + " servers; allowed is an odd number from 3 on");
    }
    Set<String> distinct = new HashSet<>();
    for (LazyPort port : ports) {
      if (!distinct.add(port.describe())) {
        onClose.run();
        throw new IllegalArgumentException(
            where + " names " + port.describe() + " twice; each server has one vote");
      }
    }
    RedlockStore store = new RedlockStore(where, ports, options, onClose);
    try {
      new FirstConnection(COMMAND_TIMEOUT).open(() -> openMajority(where, ports));
    } catch (StoreUnavailableException e) {
      store.close();
      throw e;
    }
    ports.stream().filter(port -> !port.isOpen()).forEach(LazyPort::openLater);
    store.redlock.readClocks().toCompletableFuture().join();
    return store;
  }

  /** Opens all at once, each that is not open yet, and fails if that is no majority. */
  private static long openMajority(String where, List<LazyPort> ports) {
    CompletableFuture.allOf(
            ports.stream()
                .map(port -> CompletableFuture.runAsync(port::tryToOpen, LazyPort::onThread))
                .toArray(CompletableFuture[]::new))
        .join();
    List<LazyPort> missing = ports.stream().filter(port -> !port.isOpen()).toList();
    int open = ports.size() - missing.size();
    if (open > ports.size() / 2) {
      return open;
    }
    List<Throwable> failures =
        missing.stream().map(LazyPort::failure).filter(Objects::nonNull).toList();
    String reasons = String.join(". ", failures.stream().map(Throwable::getMessage).toList());
    throw new StoreUnavailableException(
        where + ": " + open + " of " + ports.size() + " servers can be reached. " + reasons,
        failures.isEmpty() ? null : failures.get(0));
  }

  private static LongSupplier steadyMicros() {
    long start = System.nanoTime();
    return () -> (System.nanoTime() - start) / 1_000;
  }

  @Override
  public String describe() {
    return where;
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.SHARED, Capability.EVICT);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return signals.subscribe(node, listener);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return redlock.acquire(command);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return redlock.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return redlock.release(command);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return redlock.yieldGrant(command);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return redlock.cancel(command);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return redlock.evict(command);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return unsupported();
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return unsupported();
  }

  private <T> CompletionStage<T> unsupported() {
    return CompletableFuture.failedFuture(
        closed
            ? RedisErrors.closed(where)
            : new UnsupportedByStoreException(
                where
                    + " cannot show its locks: each server knows its own part; look at one of them"
                    + " with a redis:// URL"));
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return RedlockExamination.of(
        ports.stream().flatMap(port -> port.probes().stream()).toList(), options.restartDelay());
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ports.forEach(LazyPort::close);
      onClose.run();
    }
  }
}
