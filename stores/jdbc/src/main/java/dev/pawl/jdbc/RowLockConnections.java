package dev.pawl.jdbc;

import dev.pawl.StoreUnavailableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/** The connections whose open transactions are the locks; a few are kept for the next ones. */
final class RowLockConnections implements AutoCloseable {

  /**
   * How long an acquire waits in the database, in milliseconds, before it is asked for again: not
   * longer than a node leaves a call without an answer.
   */
  private static final int WAIT_MILLIS = 700;

  private static final int MOST_IDLE = 4;
  private static final int MYSQL_NOWAIT = 3572;

  private final Connections connections;
  private final SqlDatabase database;
  private final String table;
  private final ConcurrentLinkedDeque<RowLockConnection> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean closed;

  RowLockConnections(Connections connections, SqlDatabase database, JdbcOptions options) {
    this.connections = connections;
    this.database = database;
    this.table = options.table("row_lock");
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
              connection -> {
                try (Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery("SELECT " + database.now())) {
                  result.next();
                  return result.getLong(1);
                }
              });
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
        if (closed || idle.size() >= MOST_IDLE) {
          discard(own);
        } else {
          idle.push(own);
        }
        return true;
      } catch (SQLException e) {
        discard(own);
        return false;
      }
    }
  }

  /** Locks the row of a name, if nobody else has; {@code wait} tells whether to wait for that. */
  Optional<Lock> lock(String name, boolean wait, RowAcquire acquire) {
    while (true) {
      RowLockConnection own = open();
      try {
        if (select(own.connection, name, wait, acquire)) {
          return Optional.of(new Lock(own));
        }
        insert(own.connection, name);
        idle.push(own);
      } catch (SQLException e) {
        if (acquire.isGivenUp() || JdbcErrors.isRolledBack(e) || e.getErrorCode() == MYSQL_NOWAIT) {
          new Lock(own).free();
          return Optional.empty();
        }
        discard(own);
        // Whatever it locked is free, now that its connection is gone.
        throw JdbcErrors.failed(connections.describe(), "acquire", false, e);
      }
    }
  }

  private RowLockConnection open() {
    if (closed) {
      throw new StoreUnavailableException(
          "the store on " + connections.describe() + " is closed", null);
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
      return RowLockConnection.of(connections.dedicated(), database, !connections.areOurs());
    } catch (SQLException e) {
      throw JdbcErrors.noConnection(connections.describe(), " for a row lock", e);
    }
  }

  private boolean select(Connection connection, String name, boolean wait, RowAcquire acquire)
      throws SQLException {
    if (wait && database == SqlDatabase.POSTGRESQL) {
      JdbcProtocol.execute(connection, "SET LOCAL lock_timeout = " + WAIT_MILLIS);
    }
    // H2 swallows the interrupt of a thread that waits for a row: there nobody does.
    String how =
        !wait || database == SqlDatabase.H2
            ? " NOWAIT"
            : database == SqlDatabase.MARIADB ? " WAIT 1" : "";
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT name FROM " + table + " WHERE name = ? FOR UPDATE" + how)) {
      statement.setBytes(1, Row.bytes(name));
      try (ResultSet result = acquire.query(statement)) {
        return result.next();
      }
    }
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
            .formatted(table, database == SqlDatabase.H2 ? "CAST(? AS VARBINARY)" : parameter());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, Row.bytes(name));
      statement.executeUpdate();
      connection.commit();
    } catch (SQLException e) {
      if (!JdbcErrors.isDuplicate(e)) {
        throw e;
      }
      connection.rollback();
    }
  }

  private String parameter() {
    return database == SqlDatabase.POSTGRESQL ? "?::bytea" : "CAST(? AS BINARY)";
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
