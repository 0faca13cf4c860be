package dev.pawl.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL's own driver can do beyond JDBC. Called by name, so that the driver is needed
 * only where it is used.
 */
final class PostgresConnection {

  private static final String TYPE = "org.postgresql.PGConnection";

  private final Class<?> type;
  private final Object connection;

  private PostgresConnection(Class<?> type, Object connection) {
    this.type = type;
    this.connection = connection;
  }

  /** A notification: its channel and its payload. */
  record Notification(String channel, String payload) {}

  static PostgresConnection of(Connection connection) throws SQLException {
    try {
      Class<?> type = Class.forName(TYPE);
      return new PostgresConnection(type, connection.unwrap(type));
    } catch (ClassNotFoundException e) {
      throw new SQLException(TYPE + " is not on the class path", e);
    }
  }

  /** Waits that long for notifications; returns those that have arrived. */
  List<Notification> notifications(int millis) throws SQLException {
    Object[] heard = (Object[]) call(type, connection, "getNotifications", millis);
    List<Notification> notifications = new ArrayList<>();
    for (Object each : heard == null ? new Object[0] : heard) {
      Class<?> kind = each.getClass();
      notifications.add(
          new Notification(
              String.valueOf(call(kind, each, "getName")),
              String.valueOf(call(kind, each, "getParameter"))));
    }
    return notifications;
  }

  /**
   * Tells whether a pooler such as PgBouncer stands in front of the server: the process that it
   * names when the connection is made is not the one that then executes the statements. Also true
   * for another driver, whose connections cannot be asked.
   */
  static boolean isPooled(Connection connection) throws SQLException {
    PostgresConnection own;
    try {
      own = of(connection);
    } catch (SQLException e) {
      return true;
    }
    Object named = call(own.type, own.connection, "getBackendPID");
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT pg_backend_pid()")) {
      return result.next() && !Integer.valueOf(result.getInt(1)).equals(named);
    }
  }

  private static @Nullable Object call(Class<?> type, Object target, String name, int... arguments)
      throws SQLException {
    try {
      if (arguments.length == 0) {
        Method method = type.getMethod(name);
        return method.invoke(target);
      }
      return type.getMethod(name, int.class).invoke(target, arguments[0]);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException cause) {
        throw cause;
      }
      throw new SQLException(e);
    } catch (ReflectiveOperationException e) {
      throw new SQLException(e);
    }
  }
}
