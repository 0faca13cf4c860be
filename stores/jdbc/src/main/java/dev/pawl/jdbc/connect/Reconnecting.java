package dev.pawl.jdbc.connect;

import dev.pawl.jdbc.dialect.Dialect;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections for a pool, which in an outage tries again and again by itself. The pool would wait
 * for up to five seconds between two attempts, and a lease would be lost though the database is
 * back. Called by the one thread of the pool that makes connections, which a pool that is closed
 * does not interrupt: closing this ends it.
 */
final class Reconnecting implements DataSource, AutoCloseable {

  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Where we are refused, as with a wrong password: each attempt may be a line in a log. */
  private static final long MOST_REFUSED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DataSource source;
  private final Dialect dialect;
  private volatile @Nullable SQLException failure;
  private volatile @Nullable Thread waiting;
  private volatile boolean closed;

  Reconnecting(DataSource source, Dialect dialect) {
    this.source = source;
    this.dialect = dialect;
  }

  /** Returns why there is no connection, if the last attempt failed. */
  Optional<SQLException> failure() {
    return Optional.ofNullable(failure);
  }

  @Override
  public Connection getConnection() throws SQLException {
    for (long delay = FIRST_NANOS; ; delay *= 2) {
      try {
        Connection connection = source.getConnection();
        failure = null;
        if (closed) {
          connection.close();
          throw new SQLException("closed meanwhile");
        }
        return connection;
      } catch (SQLException e) {
        failure = e;
        delay = Math.min(delay, dialect.mayPass(e) ? MOST_NANOS : MOST_REFUSED_NANOS);
        pause(delay);
        if (closed || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
    }
  }

  private void pause(long nanos) {
    waiting = Thread.currentThread();
    if (!closed) {
      LockSupport.parkNanos(nanos);
    }
    waiting = null;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(waiting);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    source.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return source.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }

  @Override
  public String toString() {
    return source.toString();
  }
}
