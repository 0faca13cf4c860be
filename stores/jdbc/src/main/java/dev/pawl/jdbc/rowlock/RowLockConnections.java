package dev.pawl.jdbc.rowlock;

import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/** The connections whose open transactions are the locks; a few of ours are kept for the next. */
final class RowLockConnections implements AutoCloseable {

  /**
   * How long an acquire waits in the database, in milliseconds, before it is asked for again: not
   * longer than a node leaves a call without an answer.
   */
  private static final int WAIT_MILLIS = 700;

  private static final int MOST_IDLE = 4;

  private final Connections connections;
  private final Dialect dialect;
  private final String table;
  private final int mostIdle;
  private final ConcurrentLinkedDeque<RowLockConnection> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean closed;

  RowLockConnections(Connections connections, Dialect dialect, String table) {
    this.connections = connections;
    this.dialect = dialect;
    this.table = table;
    // One that is lent goes back at once: others may wait for it, and would for ever.
    this.mostIdle = connections.areOurs() ? MOST_IDLE : 0;
  }

  /** One locked row. */
  final class Lock {
    private final RowLockConnection own;
    private final AtomicBoolean free = new AtomicBoolean();

    private Lock(RowLockConnection own) {
      this.own = own;
    }

    /** Shows the database, and us, that the connection lives; returns the database's clock. */
    OptionalLong heartbeat() {
      Optional<Long> now =
          on(
              connection ->
                  Sql.one(connection, "SELECT " + dialect.now(), result -> result.getLong(1))
                      .orElseThrow());
      return now.map(OptionalLong::of).orElseGet(OptionalLong::empty);
    }

    /** Reads something on the connection that has the row; nothing if it is lost, and the lock. */
    <T> Optional<T> on(Connections.Work<T> work) {
      try {
        return Optional.of(work.on(own.connection));
      } catch (SQLException e) {
        return Optional.empty();
      }
    }

    /** Ends the transaction; false if the connection had gone, and the lock with it. */
    boolean free() {
      if (!free.compareAndSet(false, true)) {
        return false;
      }
      try {
        own.connection.rollback();
        keep(own);
        return true;
      } catch (SQLException e) {
        discard(own);
        return false;
      }
    }
  }

  /** Locks the row of a name, if nobody else has; {@code wait} tells whether to wait for that. */
  Optional<Lock> lock(String name, boolean wait, RowLockAcquire acquire) {
    RowLockConnection own = open();
    try {
      while (!select(own.connection, name, wait, acquire)) {
        insert(own.connection, name);
      }
      return Optional.of(new Lock(own));
    } catch (SQLException e) {
      // A server may end statements sooner than a wait ends by itself.
      boolean waitEnded = dialect.isLockedByOthers(e) || (wait && dialect.isTimeUp(e));
      if (acquire.isGivenUp() || waitEnded) {
        new Lock(own).free();
        return Optional.empty();
      }
      discard(own);
      // Whatever it locked is free, now that its connection is gone.
      throw connections.failed("acquire", false, e);
    }
  }

  StoreUnavailableException closedFailure() {
    return new StoreUnavailableException(
        "the store on " + connections.describe() + " is closed", null);
  }

  private RowLockConnection open() {
    if (closed) {
      throw closedFailure();
    }
    for (RowLockConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
      try {
        if (kept.connection.isValid(1)) {
          return kept;
        }
      } catch (SQLException e) {
        // Not valid either.
      }
      discard(kept);
    }
    try {
      return RowLockConnection.of(connections.dedicated(), dialect, !connections.areOurs());
    } catch (SQLException e) {
      throw connections.noConnection(" for a row lock", e);
    }
  }

  private boolean select(Connection connection, String name, boolean wait, RowLockAcquire acquire)
      throws SQLException {
    if (wait) {
      Optional<String> before = dialect.beforeRowLock(WAIT_MILLIS);
      if (before.isPresent()) {
        Sql.execute(connection, before.get());
      }
    }
    String sql = "SELECT name FROM " + table + " WHERE name = ? FOR UPDATE" + dialect.rowLock(wait);
    return !Sql.all(connection, sql, acquire::query, result -> true, Utf8.bytes(name)).isEmpty();
  }

  /**
   * Makes the row that is then locked. It looks before it inserts: where the row is there and
   * locked, an insert would wait for its holder; and where somebody makes it and locks it in
   * between, it waits no longer than an acquire does.
   */
  private void insert(Connection connection, String name) throws SQLException {
    String sql =
        """
        INSERT INTO %1$s (name) SELECT n.name FROM (SELECT %2$s AS name) AS n
        WHERE NOT EXISTS (SELECT 1 FROM %1$s r WHERE r.name = n.name)
        """
            .formatted(table, dialect.nameParameter());
    try {
      Sql.update(connection, sql, Utf8.bytes(name));
      connection.commit();
    } catch (SQLException e) {
      if (!dialect.isDuplicate(e)) {
        throw e;
      }
      connection.rollback();
    }
  }

  /** Keeps one that has no row for the next who needs one, unless there are enough. */
  private void keep(RowLockConnection own) {
    if (idle.size() >= mostIdle) {
      discard(own);
      return;
    }
    idle.push(own);
    if (closed && idle.remove(own)) { // Closed in between, and nobody takes it any more.
      discard(own);
    }
  }

  private static void discard(RowLockConnection own) {
    try {
      own.close();
    } catch (SQLException e) {
      // It is given up in any case.
    }
  }

  @Override
  public void close() {
    closed = true;
    for (RowLockConnection kept = idle.poll(); kept != null; kept = idle.poll()) {
      discard(kept);
    }
  }
}
