package dev.pawl.jdbc;

import dev.pawl.LockInfo;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.Notify;
import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.jdbc.journal.SqlJournal;
import dev.pawl.jdbc.lease.LeaseRecords;
import dev.pawl.jdbc.lease.LeaseTable;
import dev.pawl.jdbc.lease.UniqueKeys;
import dev.pawl.jdbc.register.SqlRegisters;
import dev.pawl.jdbc.rowlock.RowLocks;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.strategy.Strategy;
import dev.pawl.jdbc.strategy.Timers;
import dev.pawl.jdbc.strategy.Upkeep;
import dev.pawl.jdbc.wake.FileWatch;
import dev.pawl.jdbc.wake.NotifyListener;
import dev.pawl.jdbc.wake.Poll;
import dev.pawl.jdbc.wake.Signals;
import dev.pawl.jdbc.wake.WaiterCheck;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Locks in a SQL database: SQLite, PostgreSQL, MariaDB, MySQL or H2. */
public final class JdbcStore implements LockStore {

  private final Connections connections;
  private final Dialect dialect;
  private final JdbcOptions options;
  private final LeaseTable leases;
  private final Signals signals = new Signals();
  private final ScheduledThreadPoolExecutor timer;
  private final Strategy strategy;
  private final Upkeep upkeep;
  private final SqlJournal journal;
  private final SqlRegisters registers;
  private final String describe;

  /**
   * Opens it: the tables are checked or created.
   *
   * @param existing whether the tables are known to be there, and it is opened to look at them
   */
  JdbcStore(Connections connections, ServerTraits traits, JdbcOptions options, boolean existing) {
    this.connections = connections;
    this.dialect = traits.dialect();
    this.options = options;
    this.leases = new LeaseTable(dialect, options.tables().leases());
    this.timer = Timers.timer("pawl-jdbc");
    try {
      if (!existing) {
        Opening.check(traits, options, connections.describe());
        new Schema(connections, dialect, options.tables(), options.createSchema()).check();
      }
      this.describe = connections.describe() + " (" + options.strategy() + ")";
      this.journal = new SqlJournal(connections, dialect, options.tables().journal());
      this.registers = new SqlRegisters(connections, dialect, options.tables().registers());
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
        UrlDataSource.of(
            parsed.jdbc(),
            SqlDatabase.dialect(parsed.jdbc()),
            options.timeout(),
            options.poolSize());
    return Opening.connect(
        source, (connections, traits) -> new JdbcStore(connections, traits, options, false));
  }

  /**
   * Opens a store on connections of a {@code DataSource} that the caller made and will close. It
   * must give out connections of their own, not one that takes part in the caller's transaction.
   */
  public static JdbcStore open(DataSource source, JdbcOptions options) {
    String place = "a DataSource";
    ServerTraits traits = Opening.look(source, place);
    return new JdbcStore(
        Connections.of(source, traits.dialect(), place, options.timeout()), traits, options, false);
  }

  static long nowMicros(Connections connections, Dialect dialect) {
    return connections.read(
        "clock",
        c -> Sql.one(c, "SELECT " + dialect.now(), result -> result.getLong(1)).orElseThrow());
  }

  private Strategy strategy(ServerTraits traits) {
    return switch (options.strategy()) {
      case LEASE_RECORD -> {
        signals.use(wakeups(traits));
        yield new LeaseRecords(connections, leases, signals, options.retention());
      }
      case UNIQUE_KEY -> new UniqueKeys(connections, leases, signals, options.underWay());
      case ROW_LOCK ->
          new RowLocks(connections, dialect, options.tables(), options.retention(), timer);
    };
  }

  private Signals.Wakeups wakeups(ServerTraits traits) {
    WaiterCheck check = new WaiterCheck(signals, connections, leases);
    Optional<Notify> notify = dialect.notifies();
    if (notify.isPresent() && traits.canListen()) {
      return new NotifyListener(
          notify.get(), signals, connections, check, options.tables().leases());
    }
    Optional<String> counter = dialect.changeCounter();
    if (counter.isPresent() && connections.areOurs()) {
      // Of a DataSource that was handed in it might be the only connection.
      FileWatch watch = new FileWatch(connections, counter.get());
      return new Poll(signals, check, timer, watch, 500_000, 20_000_000);
    }
    return new Poll(signals, check, timer, () -> true, 2_000_000, 100_000_000);
  }

  @Override
  public String describe() {
    return describe + connections.exhaustion();
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
    return watched(() -> uninterrupted(() -> strategy.acquire(command)));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return watched(() -> uninterrupted(() -> strategy.renew(commands)));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return watched(() -> uninterrupted(() -> strategy.release(command)));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return watched(() -> uninterrupted(() -> strategy.yieldGrant(command)));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return watched(() -> uninterrupted(() -> strategy.cancel(command)));
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
    return stage(() -> nowMicros(connections, dialect));
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return stage(() -> connections.read("examine", c -> JdbcExamination.of(c, dialect, options)));
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public Registers registers() {
    return registers;
  }

  /**
   * Does what is about a claim, also in a thread that was interrupted: that is the ordinary way in
   * which {@code finally} gets there, others may stand in line behind it, and an interrupt at work
   * closes H2's files.
   */
  private static <T> T uninterrupted(Supplier<T> work) {
    boolean interrupted = Thread.interrupted();
    try {
      return work.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
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
    timer.shutdown(); // Without an interrupt: see Upkeep.
    strategy.close();
    connections.close();
  }

  @Override
  public String toString() {
    return describe;
  }
}
