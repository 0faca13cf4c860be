package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code LISTEN} and {@code NOTIFY}, and what else PostgreSQL's own driver can do beyond JDBC.
 * Called by name, so that the driver is needed only where it is used.
 */
final class PostgresNotify implements Notify {

  private static final String TYPE = "org.postgresql.PGConnection";

  /** Returned only by a statement that has written, and sent with its commit. */
  @Override
  public String returning(int count) {
    return " RETURNING " + String.join(", ", Collections.nCopies(count, "pg_notify(?, ?)"));
  }

  @Override
  public void listen(Connection connection, String channel) throws SQLException {
    Sql.execute(connection, "LISTEN \"" + channel + "\"");
  }

  @Override
  public void unlisten(Connection connection, String channel) throws SQLException {
    Sql.execute(connection, "UNLISTEN \"" + channel + "\"");
  }

  @Override
  public List<Notification> await(Connection connection, int millis) throws SQLException {
    Class<?> type = type();
    Object[] heard = (Object[]) call(type, connection.unwrap(type), "getNotifications", millis);
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
    Object own;
    try {
      own = connection.unwrap(type());
    } catch (SQLException e) {
      return true;
    }
    Object named = call(type(), own, "getBackendPID");
    return !Sql.text(connection, "SELECT pg_backend_pid()").equals("" + named);
  }

  private static Class<?> type() throws SQLException {
    try {
      return Class.forName(TYPE);
    } catch (ClassNotFoundException e) {
      throw new SQLException(TYPE + " is not on the class path", e);
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
