package dev.pawl.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.LockInfo;
import dev.pawl.PawlException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Journal;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Locks in a SQL database: SQLite, PostgreSQL, MariaDB, MySQL or H2. */
public final class JdbcStore implements LockStore {

  private static final Logger LOG = LoggerFactory.getLogger(JdbcStore.class);

  private static final long MOST_CLEAN_UP_SECONDS = 300;
  private static final int MOST_OPEN_ATTEMPTS = 100;

  private final Connections connections;
  private final JdbcSignals signals = new JdbcSignals();
  private final ScheduledThreadPoolExecutor timer;
  private final Strategy strategy;
  private final JdbcJournal journal;
  private final String describe;

  private JdbcStore(Connections connections, SqlDatabase given, JdbcOptions options) {
    this.connections = connections;
    this.timer = timer();
    try {
      SqlDatabase database = given;
      ServerTraits traits =
          connections.read("look at the server", c -> ServerTraits.of(c, database));
      traits.check(options, connections.describe());
      JdbcSchema.check(connections, database, options);
      this.describe = connections.describe() + " (" + options.strategy() + ")";
      this.journal = new JdbcJournal(connections, database, options);
      this.strategy = strategy(database, options, traits);
    } catch (RuntimeException e) {
      timer.shutdownNow();
      connections.close();
      throw e;
    }
    long period = Math.max(1, Math.min(MOST_CLEAN_UP_SECONDS, options.retention().toSeconds() / 2));
    var unused = timer.scheduleWithFixedDelay(this::cleanUp, period, period, TimeUnit.SECONDS);
  }

  /** Opens a store at a URL, with a pool of its own. */
  public static JdbcStore open(String url) {
    return open(url, JdbcOptions.DEFAULT);
  }

  /** Opens a store at a URL, with a pool of its own; parameters in the URL win over options. */
  public static JdbcStore open(String url, JdbcOptions defaults) {
    JdbcUrl parsed = JdbcUrl.parse(url, defaults);
    JdbcOptions options = parsed.options();
    SqlDatabase database = SqlDatabase.ofUrl(parsed.jdbc());
    if (parsed.jdbc().startsWith("jdbc:sqlite::memory:") || parsed.jdbc().equals("jdbc:sqlite:")) {
      throw new IllegalArgumentException(
          "a SQLite database in memory is seen by one connection only: name a file, or use memory:");
    }
    UrlDataSource source = UrlDataSource.of(parsed.jdbc(), database, options);
    String place = Secrets.place(parsed.jdbc());
    // Not through the pool: a driver that is loaded for the first time may take its time.
    SqlDatabase server = serverOf(source, place);
    HikariDataSource pool = pool(source, database, options, place);
    return new JdbcStore(
        new Connections(pool, source::getConnection, pool, place), server, options);
  }

  /**
   * Opens a store on connections of a {@code DataSource} that the caller made and will close. It
   * must give out connections of their own, not one that takes part in the caller's transaction.
   */
  public static JdbcStore open(DataSource source, JdbcOptions options) {
    String place = "a DataSource";
    return new JdbcStore(
        new Connections(source, source::getConnection, null, place),
        serverOf(source, place),
        options);
  }

  private static SqlDatabase serverOf(DataSource source, String place) {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = source.getConnection()) {
        return SqlDatabase.of(connection);
      } catch (SQLException e) {
        // SQLite is busy while others make the file what it is to be.
        if (!JdbcErrors.isSqliteBusy(e) || attempt == MOST_OPEN_ATTEMPTS) {
          throw JdbcErrors.noConnection(place, "", e);
        }
      }
      Connections.pause(attempt);
    }
  }

  private static HikariDataSource pool(
      UrlDataSource source, SqlDatabase database, JdbcOptions options, String place) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName("pawl " + place);
    config.setConnectionTimeout(Math.max(250, options.timeout().toMillis()));
    config.setValidationTimeout(Math.max(250, options.timeout().toMillis()));
    config.setMinimumIdle(1);
    // Whether it can be reached is found out, and said, by the first statement.
    config.setInitializationFailTimeout(-1);
    if (database == SqlDatabase.SQLITE) {
      config.setMaximumPoolSize(1); // It has one writer at a time in any case.
      config.setMaxLifetime(0);
    } else {
      config.setMaximumPoolSize(options.poolSize());
    }
    if (database == SqlDatabase.POSTGRESQL || database.isMysqlLike()) {
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
    return new HikariDataSource(config);
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "pawl-jdbc");
              thread.setDaemon(true);
              return thread;
            });
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private Strategy strategy(SqlDatabase database, JdbcOptions options, ServerTraits traits) {
    JdbcProtocol protocol = JdbcProtocol.of(database, options);
    return switch (options.strategy()) {
      case LEASE_ROW -> {
        signals.use(wakeups(database, options, protocol, traits));
        yield new LeaseRows(connections, protocol, signals, options);
      }
      case UNIQUE_KEY -> new UniqueKeys(connections, protocol, signals, options);
      case ROW_LOCK -> new RowLocks(connections, database, options, timer);
    };
  }

  private JdbcSignals.Wakeups wakeups(
      SqlDatabase database, JdbcOptions options, JdbcProtocol protocol, ServerTraits traits) {
    WaiterCheck check = new WaiterCheck(signals, connections, protocol);
    if (database == SqlDatabase.POSTGRESQL && traits.canListen()) {
      return new PostgresListener(signals, connections, check, options.table("lock"));
    }
    if (database == SqlDatabase.SQLITE) {
      SqliteWatch watch = new SqliteWatch(connections);
      return new Poll(signals, check, timer, watch, 500_000, 20_000_000);
    }
    return new Poll(signals, check, timer, () -> true, 2_000_000, 100_000_000);
  }

  private void cleanUp() {
    try {
      strategy.cleanUp();
    } catch (PawlException e) {
      LOG.debug("clean-up failed, and is tried again later: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.warn("clean-up failed; please report this", e);
    }
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
    return stage(() -> strategy.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return stage(() -> strategy.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return stage(() -> strategy.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return stage(() -> strategy.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return stage(() -> strategy.cancel(command));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return stage(() -> strategy.evict(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return stage(() -> strategy.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
    return stage(() -> strategy.list(prefix, limit));
  }

  @Override
  public Journal journal() {
    return journal;
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
    timer.shutdownNow();
    strategy.close();
    connections.close();
  }

  @Override
  public String toString() {
    return describe;
  }
}
