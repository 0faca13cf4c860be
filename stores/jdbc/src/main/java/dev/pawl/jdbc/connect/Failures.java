package dev.pawl.jdbc.connect;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.dialect.Dialect;
import java.net.UnknownHostException;
import java.sql.SQLException;

/**
 * What an exception of a driver is for the caller: unavailable, outcome unknown, or a bug (I11).
 */
public final class Failures {

  private Failures() {}

  /** Returns what to throw for a connection that could not be had: nothing was executed. */
  public static StoreUnavailableException noConnection(
      String store, String pool, SQLException e, String remedy) {
    return new StoreUnavailableException(
        "no connection to " + store + pool + ": " + reason(e) + remedy, e);
  }

  /** Returns what to throw for a statement that failed. */
  public static PawlException failed(
      Dialect dialect, String store, String operation, boolean wrote, SQLException e) {
    String what = operation + " on " + store + " failed: " + firstLine(e);
    if (dialect.isRolledBack(e) || dialect.isRefusal(e)) {
      return new StoreUnavailableException(what + " (nothing was changed)" + dialect.remedy(e), e);
    }
    if (dialect.isConnectionLost(e)) {
      return wrote
          ? new OutcomeUnknownException(what + " (it may have been executed)", e)
          : new StoreUnavailableException(what, e);
    }
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return new PawlException(what + " [SQL state " + state + ", code " + e.getErrorCode() + "]", e);
  }

  /** Returns what to throw for a statement that wrote, and failed while the store was closed. */
  static PawlException failedAsClosed(
      Dialect dialect, String store, String operation, SQLException e) {
    if (dialect.isRolledBack(e) || dialect.isRefusal(e)) {
      return new StoreUnavailableException(
          "the store on " + store + " is closed (nothing was changed)", e);
    }
    // Whatever its code: a driver whose connection is ended has other words for that.
    return new OutcomeUnknownException(
        operation
            + " on "
            + store
            + " was under way when the store was closed (it may have been executed): "
            + firstLine(e),
        e);
  }

  /** Returns what a driver says, in one line and without secrets. */
  public static String firstLine(SQLException e) {
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
