package dev.pawl.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A {@code DataSource} that counts what goes to the server: statements, batches, commits; and that
 * lets a test do something right behind one.
 */
final class CountingDataSource {

  final AtomicInteger count = new AtomicInteger();

  /** Called behind each statement that is not prepared, with its text. */
  volatile Consumer<String> executed = sql -> {};

  /** Called behind each statement that is prepared, with its connection and its text. */
  volatile BiConsumer<Connection, String> prepared = (connection, sql) -> {};

  DataSource of(DataSource source) {
    return proxy(
        DataSource.class,
        source,
        (result, arguments) -> result instanceof Connection connection ? of(connection) : result,
        null);
  }

  private Connection of(Connection connection) {
    return proxy(
        Connection.class,
        connection,
        (result, arguments) -> {
          if (result instanceof PreparedStatement statement) {
            String sql = (String) arguments[0];
            return proxy(
                PreparedStatement.class,
                statement,
                (r, none) -> r,
                () -> prepared.accept(connection, sql));
          }
          return result instanceof Statement plain
              ? proxy(Statement.class, plain, (r, none) -> r, null)
              : result;
        },
        null);
  }

  private interface Wrap {
    Object of(Object result, Object[] arguments);
  }

  private <T> T proxy(Class<T> type, T target, Wrap wrap, Runnable behind) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              boolean executes = method.getName().startsWith("execute");
              if (executes || method.getName().equals("commit")) {
                count.incrementAndGet();
              }
              try {
                Object result = method.invoke(target, arguments);
                if (executes && arguments != null && arguments[0] instanceof String sql) {
                  executed.accept(sql);
                } else if (executes && behind != null) {
                  behind.run();
                }
                return wrap.of(result, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
