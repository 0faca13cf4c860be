package dev.pawl.jdbc;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Pattern;

/** What an exception of a driver means: try again, unavailable, outcome unknown, or a bug. */
final class JdbcErrors {

  /** Rolled back by the database because of others: serialization failure, deadlock, lock wait. */
  private static final Set<String> ROLLED_BACK = Set.of("40001", "40P01", "55P03");

  private static final int MYSQL_LOCK_WAIT = 1205;
  private static final int MYSQL_DEADLOCK = 1213;
  private static final int MARIADB_RECORD_CHANGED = 1020;
  private static final int H2_LOCK_TIMEOUT = 50200;
  private static final int H2_CONCURRENT_UPDATE = 90131;
  private static final int SQLITE_BUSY = 5;
  private static final int SQLITE_LOCKED = 6;
  private static final int SQLITE_PERM = 3;
  private static final int SQLITE_READONLY = 8;
  private static final int SQLITE_IO = 10;
  private static final int SQLITE_FULL = 13;
  private static final int SQLITE_CANNOT_OPEN = 14;
  private static final int SQLITE_CONSTRAINT = 19;

  /** The server takes no writes, and did nothing: PostgreSQL's state, MySQL's states and codes. */
  private static final Set<String> READ_ONLY = Set.of("25006", "HY000-1290", "HY000-1836");

  /**
   * The server refuses for now, and did nothing: it is shutting down, or ended the statement, which
   * took too long or was cancelled.
   */
  private static final Set<String> REFUSED = Set.of("57P03", "57014");

  /** What drivers say of a connection, or of what hangs on it, that is gone. */
  private static final Pattern CLOSED =
      Pattern.compile(
          "\\b(?:is|been|already|connection|statement|resultset) closed\\b|\\ba closed \\w",
          Pattern.CASE_INSENSITIVE);

  private JdbcErrors() {}

  /** Tells whether the database undid the statement because of others, so that it may be tried. */
  static boolean isRolledBack(SQLException e) {
    return ROLLED_BACK.contains(state(e))
        || e.getErrorCode() == MYSQL_LOCK_WAIT
        || e.getErrorCode() == MYSQL_DEADLOCK
        || e.getErrorCode() == MARIADB_RECORD_CHANGED
        || e.getErrorCode() == H2_LOCK_TIMEOUT
        || e.getErrorCode() == H2_CONCURRENT_UPDATE
        || isSqliteBusy(e);
  }

  static boolean isSqliteBusy(SQLException e) {
    return isSqlite(e, SQLITE_BUSY) || isSqlite(e, SQLITE_LOCKED);
  }

  /** Tells whether SQLite said so; what it adds to a code is in the higher bits. */
  private static boolean isSqlite(SQLException e, int code) {
    return e.getClass().getName().startsWith("org.sqlite") && (e.getErrorCode() & 0xFF) == code;
  }

  /** Tells whether a row with that key exists already. */
  static boolean isDuplicate(SQLException e) {
    return state(e).equals("23505")
        || (state(e).equals("23000") && e.getErrorCode() == 1062)
        || isSqlite(e, SQLITE_CONSTRAINT);
  }

  /** Tells whether PostgreSQL's user may not do that. */
  static boolean isDenied(SQLException e) {
    return state(e).equals("42501");
  }

  /** Returns what to throw for a connection that could not be had: nothing was executed. */
  static StoreUnavailableException noConnection(String store, String pool, SQLException e) {
    return new StoreUnavailableException(
        "no connection to " + store + pool + ": " + reason(e) + remedy(e), e);
  }

  /** Returns what to throw for a statement that failed. */
  static PawlException failed(String store, String operation, boolean wrote, SQLException e) {
    String what = operation + " on " + store + " failed: " + firstLine(e);
    String state = state(e);
    if (isRolledBack(e) || isRefusal(e)) {
      return new StoreUnavailableException(what + " (nothing was changed)" + remedy(e), e);
    }
    if (isConnectionLost(e)) {
      return wrote
          ? new OutcomeUnknownException(what + " (it may have been executed)", e)
          : new StoreUnavailableException(what, e);
    }
    return new PawlException(what + " [SQL state " + state + ", code " + e.getErrorCode() + "]", e);
  }

  private static String remedy(SQLException e) {
    return isSqlite(e, SQLITE_FULL)
        ? "; free some space on the disk of the file"
        : isSqlite(e, SQLITE_READONLY) || isSqlite(e, SQLITE_CANNOT_OPEN)
            ? "; the file and its directory must be writable for this user"
            : "";
  }

  private static boolean isRefusal(SQLException e) {
    return isReadOnly(e)
        || REFUSED.contains(state(e))
        || state(e).startsWith("53")
        || isSqlite(e, SQLITE_FULL)
        || isSqlite(e, SQLITE_PERM)
        || isSqlite(e, SQLITE_CANNOT_OPEN);
  }

  private static boolean isReadOnly(SQLException e) {
    return isSqlite(e, SQLITE_READONLY)
        || READ_ONLY.contains(state(e))
        || READ_ONLY.contains(state(e) + "-" + e.getErrorCode());
  }

  /**
   * Tells whether another connection may do better: this one is lost, or leads to a server that was
   * the primary when it was made.
   */
  static boolean isOfConnection(SQLException e) {
    return isConnectionLost(e) || isReadOnly(e);
  }

  /** Tells whether a connection that could not be made may be had a little later. */
  static boolean mayPass(SQLException e) {
    return isConnectionLost(e) || isRolledBack(e) || isRefusal(e);
  }

  /** Tells whether the connection broke, so that nobody knows what came of the statement. */
  static boolean isConnectionLost(SQLException e) {
    String state = state(e);
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof java.io.IOException) {
        return true;
      }
    }
    return state.startsWith("08")
        || state.startsWith("57P")
        || state.equals("S1000")
        || state.equals("70100") // MySQL: interrupted, at whatever it was
        || isSqlite(e, SQLITE_IO)
        || e.getErrorCode() == 90098 // H2: the database was closed
        || e instanceof java.sql.SQLTimeoutException
        || e instanceof java.sql.SQLNonTransientConnectionException
        || e instanceof java.sql.SQLTransientConnectionException
        || e instanceof java.sql.SQLRecoverableException
        || CLOSED.matcher(firstLine(e)).find();
  }

  private static String state(SQLException e) {
    String state = e.getSQLState();
    return state == null ? "" : state;
  }

  /** Returns what a driver says, in one line and without secrets. */
  static String firstLine(SQLException e) {
    return line(e);
  }

  private static String line(Throwable e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return Secrets.hide(message.lines().findFirst().orElse("").strip());
  }

  /** Returns what a driver says, and the causes it does not name itself, such as the host. */
  private static String reason(SQLException e) {
    StringBuilder reason = new StringBuilder(line(e));
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      String line =
          cause instanceof UnknownHostException ? "unknown host " + line(cause) : line(cause);
      if (reason.indexOf(line(cause)) < 0) {
        reason.append(": ").append(line);
      }
    }
    return reason.toString();
  }
}
