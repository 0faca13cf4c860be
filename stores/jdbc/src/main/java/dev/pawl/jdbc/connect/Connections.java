package dev.pawl.jdbc.connect;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's own connections: each is borrowed for one piece of work, in auto-commit mode, never
 * inside a transaction of the caller.
 */
public final class Connections implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  /** A pool that leaves it to us to tell, and to say, that a connection is broken. */
  static final SQLExceptionOverride WE_EVICT =
      new SQLExceptionOverride() {
        @java.lang.Override // Override is another's name in here.
        public SQLExceptionOverride.Override adjudicate(SQLException e) {
          return SQLExceptionOverride.Override.DO_NOT_EVICT;
        }
      };

  /** One for the caller's transaction, one for the store, and one that listens. */
  private static final int ENOUGH = 3;

  /** How often work that the database rolled back because of others is tried again. */
  private static final int MOST_ATTEMPTS = 20;

  private final Dialect dialect;
  private final DataSource pool;
  private final Opener dedicated;
  private final @Nullable HikariDataSource owned;
  private final String describe;
  private final long timeoutNanos;

  /** Who may ask a pool of ours, in the order in which they came: as many as it has connections. */
  private final @Nullable Semaphore turns;

  private volatile boolean closed;

  private Connections(
      Dialect dialect,
      DataSource pool,
      Opener dedicated,
      @Nullable HikariDataSource owned,
      String describe,
      Duration timeout) {
    this.dialect = dialect;
    this.pool = pool;
    this.dedicated = dedicated;
    this.owned = owned;
    this.describe = describe;
    this.timeoutNanos = timeout.toNanos();
    this.turns = owned == null ? null : new Semaphore(owned.getMaximumPoolSize(), true);
  }

  /** Returns connections to a URL, in a pool of their own. */
  public static Connections of(UrlDataSource source, Dialect dialect, HikariDataSource pool) {
    return new Connections(
        dialect, pool, source::getConnection, pool, source.toString(), source.patience());
  }

  /**
   * Returns connections of a {@code DataSource} of the caller's.
   *
   * @param timeout for how long work that the database rolled back is tried again
   */
  public static Connections of(
      DataSource source, Dialect dialect, String describe, Duration timeout) {
    if (source instanceof HikariDataSource hikari && hikari.getMaximumPoolSize() < ENOUGH) {
      LOG.warn(
          "the pool of {} has {} connections at most: a lock that is taken inside of a transaction,"
              + " and one that is renewed during it, need one beside that of the transaction; give"
              + " it more, or open the store by its URL",
          describe,
          hikari.getMaximumPoolSize());
    }
    return new Connections(dialect, source, source::getConnection, null, describe, timeout);
  }

  /** Opens a connection outside the pool. */
  @FunctionalInterface
  private interface Opener {
    Connection open() throws SQLException;
  }

  /** Something done on one connection. */
  @FunctionalInterface
  public interface Work<T> {
    /** Does it. */
    T on(Connection connection) throws SQLException;
  }

  /** Returns where they lead, for people. */
  public String describe() {
    return describe;
  }

  /** Does work that changes nothing: whatever fails, nothing has happened. */
  public <T> T read(String operation, Work<T> work) {
    return run(operation, false, work);
  }

  /** Does work that may change something, in one statement or one transaction of its own. */
  public <T> T write(String operation, Work<T> work) {
    return run(operation, true, work);
  }

  private <T> T run(String operation, boolean writes, Work<T> work) {
    long end = System.nanoTime() + timeoutNanos;
    for (int attempt = 1; ; attempt++) {
      long until = System.nanoTime() + timeoutNanos;
      awaitTurn(until);
      try (Connection connection = borrow(until)) {
        return use(connection, work);
      } catch (SQLException e) {
        boolean enough = attempt == MOST_ATTEMPTS || System.nanoTime() - end >= 0;
        if (!dialect.isRolledBack(e) || enough) {
          throw closed ? failedAsClosed(operation, writes, e) : failed(operation, writes, e);
        }
      } finally {
        endTurn();
      }
      pause(attempt);
    }
  }

  /** Waits in line for a pool of ours, also in a thread that is interrupted. */
  private void awaitTurn(long until) {
    if (turns == null) {
      return;
    }
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (turns.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return;
          }
          throw noConnection(
              poolState(timeoutNanos), why(new SQLTransientConnectionException("timed out")));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void endTurn() {
    if (turns != null) {
      turns.release();
    }
  }

  private <T> T use(Connection connection, Work<T> work) throws SQLException {
    try {
      return inAutoCommit(connection, work);
    } catch (SQLException e) {
      if (dialect.isOfConnection(e) && pool instanceof HikariDataSource hikari) {
        // It does not know every driver's words for that, and checks none that is in steady use.
        hikari.evictConnection(connection);
        if (owned != null && !closed) {
          LOG.warn(
              "{}: a connection broke, and another is made: {}", describe, Failures.firstLine(e));
        }
      }
      throw e;
    }
  }

  /** Does work in auto-commit mode, and leaves the connection in the mode in which it was. */
  public static <T> T inAutoCommit(Connection connection, Work<T> work) throws SQLException {
    if (connection.getAutoCommit()) {
      return work.on(connection);
    }
    connection.setAutoCommit(true);
    try {
      return work.on(connection);
    } finally {
      restore(connection, false);
    }
  }

  /** Does work in one transaction, and leaves the connection in the mode in which it was. */
  public static <T> T inTransaction(Connection connection, Work<T> work) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try {
      T result = work.on(connection);
      connection.commit();
      restore(connection, autoCommit);
      return result;
    } catch (Throwable e) {
      // An error too: to go back to auto-commit mode would commit half of the work.
      rollBack(connection, autoCommit, e);
      throw e;
    }
  }

  private static void rollBack(Connection connection, boolean autoCommit, Throwable e) {
    try {
      connection.rollback();
      restore(connection, autoCommit);
    } catch (SQLException second) {
      e.addSuppressed(second);
    }
  }

  private static void restore(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      // It is broken, and the work was done before.
    }
  }

  /** Waits a little before the n-th repetition, not the same for all. */
  public static void pause(int attempt) {
    long most = 250_000L << Math.min(attempt, 6);
    LockSupport.parkNanos(most / 4 + ThreadLocalRandom.current().nextLong(most));
  }

  /**
   * Waits until there is a connection, for longer than a call does: its timeout is the pool's, and
   * cannot be changed for a while. Closes the pool if there is none.
   */
  public void awaitFirst(Duration most) {
    long end = System.nanoTime() + most.toNanos();
    while (true) {
      try (Connection first = pool.getConnection()) {
        return;
      } catch (SQLException e) {
        SQLException reason = why(e);
        if (!dialect.mayPass(reason) || System.nanoTime() - end >= 0) {
          PawlException failure =
              noConnection(failure().isPresent() ? "" : poolState(most.toNanos()), reason);
          close();
          throw failure;
        }
      }
    }
  }

  private Connection borrow(long until) {
    checkOpen();
    try {
      return uninterrupted(until);
    } catch (SQLException e) {
      throw closed ? closedFailure(e) : noConnection(poolState(timeoutNanos), why(e));
    }
  }

  /**
   * Waits for a connection of the pool also where the thread is interrupted, and leaves it so: what
   * it does may be for others too, who stand in line behind it, and would fail with it.
   *
   * <p>A pool of ours is asked for a moment at a time: it cannot tell an outage from a lack of
   * connections, and a call that stood in line until its time was up would not know that nothing
   * was sent (I11). Who may ask is decided before, since a moment is enough to lose one's place.
   */
  private Connection uninterrupted(long until) throws SQLException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        checkReachable();
        try {
          return pool.getConnection();
        } catch (SQLException e) {
          if (Thread.interrupted()) {
            interrupted = true;
          } else if (owned == null || closed || System.nanoTime() - until >= 0) {
            throw e;
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Fails with the reason while a pool of ours has no connection and can make none. */
  private void checkReachable() {
    if (owned == null) {
      return;
    }
    Optional<SQLException> failure = failure();
    // One that others keep out for a moment, as of a file, is waited for.
    if (failure.isPresent() && !dialect.isRolledBack(failure.get()) && isEmpty(owned)) {
      throw noConnection("", failure.get());
    }
  }

  private static boolean isEmpty(HikariDataSource pool) {
    var state = pool.getHikariPoolMXBean();
    return state != null && state.getTotalConnections() == 0;
  }

  /** Returns what to throw for a connection that could not be had. */
  public PawlException noConnection(String pool, SQLException e) {
    return Failures.noConnection(describe, pool, e, dialect.remedy(e));
  }

  /** Returns what to throw for a statement on a connection that the caller keeps. */
  public PawlException failed(String operation, boolean wrote, SQLException e) {
    return Failures.failed(dialect, describe, operation, wrote, e);
  }

  /** Closing a pool ends what is under way in it, which may have been executed by then (I11). */
  private PawlException failedAsClosed(String operation, boolean wrote, SQLException e) {
    return wrote ? Failures.failedAsClosed(dialect, describe, operation, e) : closedFailure(e);
  }

  /** Returns why a pool of ours has no connection; what it says itself is of the last moment. */
  private SQLException why(SQLException e) {
    if (owned == null || !(e instanceof SQLTransientConnectionException)) {
      return e;
    }
    return failure()
        .orElseGet(
            () ->
                e.getCause() instanceof SQLException cause
                    ? cause
                    : new SQLTransientConnectionException("timed out"));
  }

  /** Returns why a pool of ours can make no connection, as far as it has tried. */
  private Optional<SQLException> failure() {
    return owned != null && owned.getDataSource() instanceof Reconnecting source
        ? source.failure()
        : Optional.empty();
  }

  /** Opens a connection that the caller keeps, and closes. */
  public Connection dedicated() throws SQLException {
    return dedicated.open();
  }

  /** Tells whether they are made for this store, and not lent by the caller. */
  public boolean areOurs() {
    return owned != null;
  }

  /** Says that no connection is left, in messages about what is not answered; otherwise empty. */
  public String exhaustion() {
    if (!(pool instanceof HikariDataSource hikari) || hikari.getHikariPoolMXBean() == null) {
      return "";
    }
    int used = hikari.getHikariPoolMXBean().getActiveConnections();
    return used < hikari.getMaximumPoolSize()
        ? ""
        : ", of whose pool all " + used + " connections are in use";
  }

  private String poolState(long waitedNanos) {
    if (owned == null) {
      return " from the DataSource that was handed in (" + pool.getClass().getSimpleName() + ")";
    }
    var state = owned.getHikariPoolMXBean();
    int used = state == null ? 0 : state.getActiveConnections();
    String place =
        " within "
            + TimeUnit.NANOSECONDS.toMillis(waitedNanos)
            + " ms from pool "
            + owned.getPoolName();
    // Where it is not exhausted, its size is not what is wrong.
    return state == null || used < owned.getMaximumPoolSize()
        ? place
        : place
            + " ("
            + used
            + " of "
            + owned.getMaximumPoolSize()
            + " in use, "
            + (turns == null ? 0 : turns.getQueueLength())
            + " threads waiting; pawl.poolSize sets the size)";
  }

  private PawlException closedFailure(@Nullable Throwable cause) {
    return new StoreUnavailableException("the store on " + describe + " is closed", cause);
  }

  /** Fails once they are closed. */
  public void checkOpen() {
    if (closed) {
      throw closedFailure(null);
    }
  }

  @Override
  public void close() {
    closed = true;
    if (owned != null) {
      if (owned.getDataSource() instanceof Reconnecting source) {
        source.close(); // The pool only waits for whoever tries to connect.
      }
      owned.close();
    }
  }
}
