package dev.pawl.jdbc.dialect;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.regex.Pattern;

/** What drivers say in the same way, whatever their database is. */
final class DriverErrors {

  /** What they say of a connection, or of what hangs on it, that is gone. */
  private static final Pattern CLOSED =
      Pattern.compile(
          "\\b(?:is|been|already|connection|statement|resultset) closed\\b|\\ba closed \\w",
          Pattern.CASE_INSENSITIVE);

  private DriverErrors() {}

  static boolean isConnectionLost(SQLException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException) {
        return true;
      }
    }
    return Dialect.state(e).startsWith("08")
        || e instanceof SQLTimeoutException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLTransientConnectionException
        || e instanceof SQLRecoverableException
        || (e.getMessage() != null
            && CLOSED.matcher(e.getMessage().lines().findFirst().orElse("")).find());
  }
}
