package dev.pawl.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.bench.contest.Competitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The locks that a session of the database holds, without a table: PostgreSQL's advisory locks,
 * MariaDB's {@code GET_LOCK}. Each holder and each waiter has a connection.
 */
final class SessionLocks implements Competitor {

  private final HikariDataSource pool;
  private final Statements statements;

  /** Each has the name as its parameter, and returns something true if it was done. */
  private record Statements(String take, String tryTake, String free) {}

  SessionLocks(String url) {
    Database database = Database.of(url);
    this.pool = database.pool(url);
    this.statements =
        database == Database.POSTGRESQL
            ? new Statements(
                "SELECT 1 FROM pg_advisory_lock(hashtextextended(?, 0))",
                "SELECT pg_try_advisory_lock(hashtextextended(?, 0))::int",
                "SELECT pg_advisory_unlock(hashtextextended(?, 0))::int")
            : new Statements(
                "SELECT GET_LOCK(?, 3600)", "SELECT GET_LOCK(?, 0)", "SELECT RELEASE_LOCK(?)");
  }

  @Override
  public Hold acquire(String name) throws SQLException {
    return take(statements.take, name)
        .orElseThrow(() -> new IllegalStateException(name + " is refused"));
  }

  @Override
  public Optional<Hold> tryAcquire(String name) throws SQLException {
    return take(statements.tryTake, name);
  }

  private Optional<Hold> take(String sql, String name) throws SQLException {
    Connection connection = pool.getConnection();
    boolean taken = false;
    try {
      taken = isDone(connection, sql, name);
    } finally {
      if (!taken) {
        connection.close();
      }
    }
    return taken ? Optional.of(() -> free(connection, name)) : Optional.empty();
  }

  private void free(Connection held, String name) throws SQLException {
    try (Connection connection = held) {
      if (!isDone(connection, statements.free, name)) {
        throw new IllegalStateException(name + " was not held any more");
      }
    }
  }

  private static boolean isDone(Connection connection, String sql, String name)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() && result.getInt(1) == 1;
      }
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
