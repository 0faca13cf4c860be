package dev.pawl.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.LockInfo;
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
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Locks in a SQL database: SQLite, PostgreSQL, MariaDB, MySQL or H2. */
public final class JdbcStore implements LockStore {

  /** How long a process that starts waits for its first connection at the least. */
  private static final Duration FIRST = Duration.ofSeconds(15);

  private final Connections connections;
  private final SqlDatabase database;
  private final JdbcOptions options;
  private final JdbcProtocol protocol;
  private final JdbcSignals signals = new JdbcSignals();
  private final ScheduledThreadPoolExecutor timer;
  private final Strategy strategy;
  private final Upkeep upkeep;
  private final JdbcJournal journal;
  private final String describe;

  /**
   * Opens it.
   *
   * @param existing whether the tables are known to be there, and it is opened to look at them
   */
  JdbcStore(Connections connections, ServerTraits traits, JdbcOptions options, boolean existing) {
    this.connections = connections;
    this.database = traits.database();
    this.options = options;
    this.protocol = JdbcProtocol.of(database, options);
    this.timer = timer("pawl-jdbc");
    try {
      if (!existing) {
        traits.check(options, connections.describe());
        JdbcSchema.check(connections, database, options);
      }
      this.describe = connections.describe() + " (" + options.strategy() + ")";
      this.journal = new JdbcJournal(connections, database, options);
      this.strategy = strategy(traits);
    } catch (RuntimeException e) {
      timer.shutdownNow();
      connections.close();
      throw e;
    }
    // Whoever looks at it cleans up nothing.
    this.upkeep =
        new Upkeep(existing ? after -> Optional.empty() : strategy::cleanUp, options.retention());
  }

  /** Opens a store at a URL, with a pool of its own. */
  public static JdbcStore open(String url) {
    return open(url, JdbcOptions.DEFAULT);
  }

  /** Opens a store at a URL, with a pool of its own; parameters in the URL win over options. */
  public static JdbcStore open(String url, JdbcOptions defaults) {
    JdbcUrl parsed = JdbcUrl.parse(url, defaults);
    JdbcOptions options = parsed.options();
    UrlDataSource source =
        UrlDataSource.of(parsed.jdbc(), SqlDatabase.ofUrl(parsed.jdbc()), options);
    return connect(
        source, (connections, traits) -> new JdbcStore(connections, traits, options, false));
  }

  /** Connects to a URL for the first time, which may take longer, and opens a store there. */
  static <S extends LockStore> S connect(
      UrlDataSource source, BiFunction<Connections, ServerTraits, S> opening) {
    source.first(true);
    // Not through the pool: a driver that is loaded for the first time may take its time.
    ServerTraits traits = ServerTraits.of(source, source.toString());
    if (traits.pooled()) {
      source.prepareNothing();
    }
    HikariDataSource pool = source.pool();
    long usual = pool.getConnectionTimeout();
    pool.setConnectionTimeout(Math.max(usual, FIRST.toMillis()));
    S store =
        opening.apply(
            new Connections(
                pool, source::getConnection, pool, source.toString(), source.patience()),
            traits);
    source.first(false);
    pool.setConnectionTimeout(usual);
    return store;
  }

  /**
   * Opens a store on connections of a {@code DataSource} that the caller made and will close. It
   * must give out connections of their own, not one that takes part in the caller's transaction.
   */
  public static JdbcStore open(DataSource source, JdbcOptions options) {
    String place = "a DataSource";
    return new JdbcStore(
        new Connections(source, source::getConnection, null, place, options.timeout()),
        ServerTraits.of(source, place),
        options,
        false);
  }

  /** Returns a timer with a thread of that name, which begins when there is something to do. */
  static ScheduledThreadPoolExecutor timer(String name) {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private Strategy strategy(ServerTraits traits) {
    return switch (options.strategy()) {
      case LEASE_ROW -> {
        signals.use(wakeups(traits));
        yield new LeaseRows(connections, protocol, signals, options);
      }
      case UNIQUE_KEY -> new UniqueKeys(connections, protocol, signals, options);
      case ROW_LOCK -> new RowLocks(connections, database, options, timer);
    };
  }

  private JdbcSignals.Wakeups wakeups(ServerTraits traits) {
    WaiterCheck check = new WaiterCheck(signals, connections, protocol.rows);
    if (database == SqlDatabase.POSTGRESQL && traits.canListen()) {
      return new PostgresListener(signals, connections, check, options.table("lock"));
    }
    if (database == SqlDatabase.SQLITE && connections.areOurs()) {
      // Of a DataSource that was handed in it might be the only connection.
      SqliteWatch watch = new SqliteWatch(connections);
      return new Poll(signals, check, timer, watch, 500_000, 20_000_000);
    }
    return new Poll(signals, check, timer, () -> true, 2_000_000, 100_000_000);
  }

  @Override
  public String describe() {
    return describe;
  }

  @Override
  public Set<Capability> capabilities() {
    return strategy.capabilities();
  }

  @Override
  public boolean blocking() {
    return true;
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return signals.subscribe(node, listener);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    upkeep.onUsed(command.name());
    return watched(() -> strategy.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return watched(() -> strategy.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return watched(() -> strategy.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return watched(() -> strategy.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return watched(() -> strategy.cancel(command));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return stage(() -> strategy.evict(command));
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return stage(() -> strategy.reset(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return stage(() -> strategy.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return stage(() -> strategy.list(listing));
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return stage(() -> connections.read("clock", protocol::nowMicros));
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return stage(() -> connections.read("examine", c -> JdbcExamination.of(c, database, options)));
  }

  @Override
  public Journal journal() {
    return journal;
  }

  private <T> CompletionStage<T> watched(Supplier<T> work) {
    CompletionStage<T> done = stage(work);
    if (done.toCompletableFuture().isCompletedExceptionally()) {
      upkeep.onFailure();
    }
    return done;
  }

  /** Does the work at once, in this thread. */
  static <T> CompletionStage<T> stage(Supplier<T> work) {
    try {
      return CompletableFuture.completedFuture(work.get());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void close() {
    upkeep.close();
    timer.shutdownNow();
    strategy.close();
    connections.close();
  }

  @Override
  public String toString() {
    return describe;
  }
}
