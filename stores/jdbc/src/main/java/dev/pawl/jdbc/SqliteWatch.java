package dev.pawl.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a SQLite file has changed, by {@code PRAGMA data_version} on a connection of its
 * own: a look at shared memory, much cheaper than a query. Used by one thread, and closed by any.
 */
final class SqliteWatch implements Poll.Watch {

  private final Connections connections;
  private final AtomicReference<@Nullable Connection> connection = new AtomicReference<>();
  private volatile boolean closed;
  private long seen = -1;

  SqliteWatch(Connections connections) {
    this.connections = connections;
  }

  @Override
  public boolean hasChanged() {
    try {
      Connection open = connection.get();
      if (open == null) {
        open = connections.dedicated();
        connection.set(open);
        if (closed) {
          giveUp(); // Whoever closed it may not have seen the connection.
          return false;
        }
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
      giveUp();
      return true; // Look, rather than miss something.
    }
  }

  private void giveUp() {
    Connection open = connection.getAndSet(null);
    try {
      if (open != null) {
        open.close();
      }
    } catch (SQLException e) {
      // It is given up in any case.
    }
  }

  @Override
  public void close() {
    closed = true;
    giveUp();
  }
}
