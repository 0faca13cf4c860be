package dev.pawl.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a SQLite file has changed, by {@code PRAGMA data_version} on a connection of its
 * own: a look at shared memory, much cheaper than a query. Used by one thread.
 */
final class SqliteWatch implements BooleanSupplier, AutoCloseable {

  private final Connections connections;
  private @Nullable Connection connection;
  private long seen = -1;

  SqliteWatch(Connections connections) {
    this.connections = connections;
  }

  @Override
  public boolean getAsBoolean() {
    try {
      Connection open = connection;
      if (open == null) {
        open = connections.dedicated();
        connection = open;
      }
      try (Statement statement = open.createStatement();
          ResultSet result = statement.executeQuery("PRAGMA data_version")) {
        result.next();
        long version = result.getLong(1);
        boolean changed = version != seen;
        seen = version;
        return changed;
      }
    } catch (SQLException e) {
      close();
      return true; // Look, rather than miss something.
    }
  }

  @Override
  public void close() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // It is given up in any case.
    } finally {
      connection = null;
    }
  }
}
