package dev.pawl.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
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

  DataSource of(DataSource source) {
    return proxy(
        DataSource.class,
        source,
        result -> result instanceof Connection connection ? count(connection) : result);
  }

  private Connection count(Connection connection) {
    return proxy(
        Connection.class,
        connection,
        result ->
            result instanceof PreparedStatement prepared
                ? proxy(PreparedStatement.class, prepared, r -> r)
                : result instanceof Statement plain
                    ? proxy(Statement.class, plain, r -> r)
                    : result);
  }

  private interface Wrap {
    Object of(Object result);
  }

  private <T> T proxy(Class<T> type, T target, Wrap wrap) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().startsWith("execute") || method.getName().equals("commit")) {
                count.incrementAndGet();
              }
              try {
                Object result = method.invoke(target, arguments);
                if (method.getName().startsWith("execute")
                    && arguments != null
                    && arguments[0] instanceof String sql) {
                  executed.accept(sql);
                }
                return wrap.of(result);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
