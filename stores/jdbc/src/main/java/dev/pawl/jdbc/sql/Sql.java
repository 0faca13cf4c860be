package dev.pawl.jdbc.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements: prepares one, sets its parameters, and reads what comes back to its end.
 *
 * <p>To the end, always: only then has a statement that writes and returns something ended and
 * committed. SQLite hands out the row before that, and its driver says nothing of a commit that
 * failed to whoever does not ask for the next row (I1).
 *
 * <p>A parameter is a {@code Long}, an {@code Integer}, a {@code String}, bytes, null for bytes
 * that are not there, or what the driver takes as an object. A statement without parameters is not
 * prepared.
 */
public final class Sql {

  private Sql() {}

  /** What a row says. */
  @FunctionalInterface
  public interface Reading<T> {
    /** Reads the row that the result stands at. */
    T of(ResultSet result) throws SQLException;
  }

  /** How a query is executed, by whoever may want to end it. */
  @FunctionalInterface
  public interface Execution {
    /** Executes it. */
    ResultSet of(PreparedStatement statement) throws SQLException;
  }

  /** Executes a statement without parameters, of which nothing is to be known. */
  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Executes a statement of which nothing is to be known but that it has been executed. */
  public static void run(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      statement.execute();
    }
  }

  /** Executes a statement that writes; returns how many rows it wrote. */
  public static int update(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      return statement.executeUpdate();
    }
  }

  /** Executes a statement that writes one row or none; returns the last insert id of the one. */
  public static OptionalLong updateForId(
      Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      bind(statement, parameters);
      if (statement.executeUpdate() != 1) {
        return OptionalLong.empty();
      }
      try (ResultSet keys = statement.getGeneratedKeys()) {
        keys.next();
        return OptionalLong.of(keys.getLong(1));
      }
    }
  }

  /** Executes a statement once for each row of parameters; returns how many rows each wrote. */
  public static int[] updateAll(
      Connection connection, String sql, List<@Nullable Object[]> parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (@Nullable Object[] each : parameters) {
        bind(statement, each);
        statement.addBatch();
      }
      return statement.executeBatch();
    }
  }

  /** Returns what the rows of a query say, in their order. */
  public static <T> List<T> all(
      Connection connection, String sql, Reading<T> reading, @Nullable Object... parameters)
      throws SQLException {
    if (parameters.length > 0) {
      return all(connection, sql, PreparedStatement::executeQuery, reading, parameters);
    }
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return drained(result, reading);
    }
  }

  /** Returns what the rows of a query say that is executed in a way of its own. */
  public static <T> List<T> all(
      Connection connection,
      String sql,
      Execution execution,
      Reading<T> reading,
      @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      try (ResultSet result = execution.of(statement)) {
        return drained(result, reading);
      }
    }
  }

  /** Returns what the one row says that a statement returns, if it returns one. */
  public static <T> Optional<T> one(
      Connection connection, String sql, Reading<T> reading, @Nullable Object... parameters)
      throws SQLException {
    return all(connection, sql, reading, parameters).stream().findFirst();
  }

  /** Returns the first column of the first row as text; empty if there is none. */
  public static String text(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    return one(connection, sql, result -> Optional.ofNullable(result.getString(1)), parameters)
        .flatMap(text -> text)
        .orElse("");
  }

  private static <T> List<T> drained(ResultSet result, Reading<T> reading) throws SQLException {
    List<T> read = new ArrayList<>();
    while (result.next()) {
      read.add(reading.of(result));
    }
    return read;
  }

  private static void bind(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      Object value = parameters[i];
      if (value instanceof Long number) {
        statement.setLong(i + 1, number);
      } else if (value instanceof Integer number) {
        statement.setInt(i + 1, number);
      } else if (value instanceof String text) {
        statement.setString(i + 1, text);
      } else if (value == null || value instanceof byte[]) {
        statement.setBytes(i + 1, (byte[]) value);
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }
}
