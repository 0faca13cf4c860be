package dev.pawl.jdbc.rowlock;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An acquire of a row that is under way: its copies wait for its end, and who gives it up ends its
 * wait in the database.
 */
final class RowLockAcquire {

  private static final int COPY_MILLIS = 100;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Statement waiting;
  private boolean givenUp;

  /**
   * Waits a moment until it has ended; longer, and its copy shows that the store is alive. A node
   * repeats an acquire at about the time at which the database has waited enough: told no then, it
   * would give up, and the first one might still get the row.
   */
  void awaitEnd() {
    try {
      var unused = ended.await(COPY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void end() {
    ended.countDown();
  }

  /** Executes a query that may wait in the database; fails if this acquire is given up. */
  ResultSet query(PreparedStatement statement) throws SQLException {
    lock.lock();
    try {
      if (givenUp) {
        throw new SQLException("given up");
      }
      waiting = statement;
    } finally {
      lock.unlock();
    }
    try {
      return statement.executeQuery();
    } finally {
      // A cancel that is on its way has ended when this has the lock: it meets no later statement.
      lock.lock();
      try {
        waiting = null;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Ends the wait, if there is one; if the database cannot be told, it ends by itself. */
  void giveUp() {
    lock.lock();
    try {
      givenUp = true;
      if (waiting != null) {
        waiting.cancel();
      }
    } catch (SQLException e) {
      // The database waits for a row no longer than a second.
    } finally {
      lock.unlock();
    }
  }

  boolean isGivenUp() {
    lock.lock();
    try {
      return givenUp;
    } finally {
      lock.unlock();
    }
  }
}
