package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether others have written to a database that is a file, by the dialect's counter on a
 * connection of its own: much cheaper than a look at the records. Used by one thread, and closed by
 * any.
 */
public final class FileWatch implements Poll.Watch {

  private final Connections connections;
  private final String counterSql;
  private final AtomicReference<@Nullable Connection> connection = new AtomicReference<>();
  private volatile boolean closed;
  private long seen = -1;

  /** Returns a watch that executes that query. */
  public FileWatch(Connections connections, String counterSql) {
    this.connections = connections;
    this.counterSql = counterSql;
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
      long version = Sql.one(open, counterSql, result -> result.getLong(1)).orElseThrow();
      boolean changed = version != seen;
      seen = version;
      return changed;
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
