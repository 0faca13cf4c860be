package dev.pawl.jdbc.connect;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements of a connection whose driver keeps none: a statement that is closed waits
 * here for the next one who prepares the same text. A connection is used by one thread at a time,
 * and so is this.
 */
final class KeptStatements implements InvocationHandler {

  private static final int MOST = 50;

  private final Connection connection;
  private final Optional<SameFile> file;
  private final Map<String, PreparedStatement> idle = new HashMap<>();

  private KeptStatements(Connection connection, Optional<SameFile> file) {
    this.connection = connection;
    this.file = file;
  }

  /** Returns the same connection, which from now on keeps its statements. */
  static Connection of(Connection connection, Optional<Path> file) {
    return proxy(Connection.class, new KeptStatements(connection, file.map(SameFile::of)));
  }

  @Override
  public @Nullable Object invoke(
      Object self, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (file.isPresent() && method.getName().endsWith("Statement")) {
      file.get().check();
    }
    if (method.getName().equals("prepareStatement")
        && arguments != null
        && arguments.length == 1
        && arguments[0] instanceof String sql) {
      PreparedStatement kept = idle.remove(sql);
      return proxy(
          PreparedStatement.class,
          new Use(sql, kept != null ? kept : connection.prepareStatement(sql)));
    }
    return call(method, connection, arguments);
  }

  /** A statement from its preparation until it is closed. */
  private final class Use implements InvocationHandler {
    private final String sql;
    private final PreparedStatement statement;
    private boolean failed;

    Use(String sql, PreparedStatement statement) {
      this.sql = sql;
      this.statement = statement;
    }

    @Override
    public @Nullable Object invoke(
        Object self, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      if (method.getName().equals("close") && !failed && idle.size() < MOST) {
        PreparedStatement other = idle.put(sql, statement);
        if (other != null) {
          other.close();
        }
        return null;
      }
      try {
        return call(method, statement, arguments);
      } catch (Throwable e) {
        failed = true; // The driver may have given it up.
        throw e;
      }
    }
  }

  private static @Nullable Object call(
      Method method, Object target, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            KeptStatements.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
