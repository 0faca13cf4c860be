package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StaleTokenException;
import dev.pawl.jdbc.sql.Sql;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JdbcFenceTest {

  private static final String H2 = Databases.h2();

  @TempDir static Path directory;

  private final String table = Databases.prefix() + "fence";
  private final String data = Databases.prefix() + "data";

  private static String url(SqlDatabase database) {
    return switch (database) {
      case SQLITE -> Databases.url(database, directory) + "?busy_timeout=30000";
      case H2 -> H2;
      default -> Databases.url(database, directory);
    };
  }

  private Connection open(SqlDatabase database) throws SQLException {
    return DriverManager.getConnection(url(database));
  }

  private JdbcFence fence(SqlDatabase database) throws SQLException {
    JdbcFence fence = JdbcFence.of(database, table);
    try (Connection connection = open(database)) {
      Sql.execute(connection, fence.sql());
      Sql.execute(connection, "CREATE TABLE IF NOT EXISTS " + data + " (n INTEGER)");
    }
    return fence;
  }

  @ParameterizedTest
  @EnumSource
  void aStaleHoldersTransactionDoesNotCommit(SqlDatabase database) throws Exception {
    JdbcFence fence = fence(database);
    try (Connection connection = open(database)) {
      connection.setAutoCommit(false);
      fence.admit(connection, "invoice:42", 10);
      write(connection, 10);
      connection.commit();
      fence.admit(connection, "invoice:42", 10); // The same holder, again.
      write(connection, 11);
      connection.commit();
      fence.admit(connection, "invoice:42", 20);
      connection.commit();

      write(connection, 99);
      assertThatThrownBy(() -> fence.admit(connection, "invoice:42", 19))
          .isInstanceOf(StaleTokenException.class)
          .hasMessageContaining("token 19 is stale for \"invoice:42\"");
      connection.commit();

      fence.admit(connection, "invoice:43", 5); // Another resource.
      connection.rollback();
      fence.admit(connection, "invoice:43", 4); // What was rolled back was not seen.
      connection.commit();
      assertThat(sum(connection)).isEqualTo(21);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
  void anOlderHolderWaitsForTheNewerOnesTransactionAndIsRefused(SqlDatabase database)
      throws Exception {
    JdbcFence fence = fence(database);
    try (Connection newer = open(database);
        Connection older = open(database)) {
      newer.setAutoCommit(false);
      older.setAutoCommit(false);
      fence.admit(newer, "x", 2);
      CompletableFuture<Void> refused =
          CompletableFuture.runAsync(
              () ->
                  assertThatThrownBy(() -> fence.admit(older, "x", 1))
                      .isInstanceOf(StaleTokenException.class));
      newer.commit();
      refused.get(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void ofTwoWhoAreTheFirstOnH2TheNewerIsAdmitted() throws Exception {
    JdbcFence fence = fence(SqlDatabase.H2);
    try (Connection older = open(SqlDatabase.H2);
        Connection newer = open(SqlDatabase.H2)) {
      older.setAutoCommit(false);
      newer.setAutoCommit(false);
      fence.admit(older, "x", 1);
      // The row is there when the newer one, who saw none to update, inserts it.
      fence.admit(before(newer, "INSERT", older::commit), "x", 2);
      newer.commit();
      assertThatThrownBy(() -> fence.admit(older, "x", 1)).isInstanceOf(StaleTokenException.class);
    }
  }

  private interface Step {
    void run() throws SQLException;
  }

  /** The connection, on which a step comes before a statement that begins like that. */
  private static Connection before(Connection connection, String sql, Step step) {
    return (Connection)
        Proxy.newProxyInstance(
            JdbcFenceTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && arguments[0].toString().startsWith(sql)) {
                step.run();
              }
              return method.invoke(connection, arguments);
            });
  }

  @Test
  void outsideATransactionNothingIsFenced() throws Exception {
    JdbcFence fence = fence(SqlDatabase.H2);
    try (Connection connection = open(SqlDatabase.H2)) {
      assertThatThrownBy(() -> fence.admit(connection, "x", 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit");
    }
  }

  @Test
  void aHostileTableNameIsRefused() {
    assertThatThrownBy(() -> JdbcFence.of(SqlDatabase.H2, "x; DROP TABLE y"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void write(Connection connection, int n) throws SQLException {
    Sql.execute(connection, "INSERT INTO " + data + " VALUES (" + n + ")");
  }

  private int sum(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT sum(n) FROM " + data)) {
      result.next();
      return result.getInt(1);
    }
  }
}
