package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VersionGuardTest {

  private static final String H2 = Databases.h2();

  private final String table = Databases.prefix() + "account";

  private DataSource source(SqlDatabase database) throws SQLException {
    String url =
        switch (database) {
          case POSTGRESQL -> Databases.postgres();
          case MARIADB -> Databases.mariaDb();
          default -> H2;
        };
    DataSource source = Databases.source(url, database, Databases.newTables());
    try (Connection connection = source.getConnection()) {
      Sql.execute(
          connection,
          "CREATE TABLE " + table + " (id INTEGER PRIMARY KEY, amount INTEGER, version INTEGER)");
      Sql.execute(connection, "INSERT INTO " + table + " VALUES (1, 0, 0)");
    }
    return source;
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void noChangeIsLostAmongFourThreads(SqlDatabase database) throws Exception {
    DataSource source = source(database);
    VersionGuard guard = VersionGuard.of(table, "id", "version");
    AtomicInteger tries = new AtomicInteger();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 10; i++) {
                  try {
                    guard.change(
                        source,
                        1,
                        connection -> {
                          tries.incrementAndGet();
                          int amount = number(connection, "amount");
                          Sql.execute(
                              connection,
                              "UPDATE "
                                  + table
                                  + " SET amount = "
                                  + (amount + 1)
                                  + " WHERE id = 1");
                          return null;
                        });
                  } catch (SQLException e) {
                    throw new AssertionError(e);
                  }
                }
              }));
    }
    CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(3, TimeUnit.MINUTES);
    try (Connection connection = source.getConnection()) {
      assertThat(number(connection, "amount")).isEqualTo(40);
      assertThat(number(connection, "version")).isEqualTo(40);
    }
    assertThat(tries.get()).isGreaterThanOrEqualTo(40);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void workThatEndsWithAnErrorLeavesNothingBehind(SqlDatabase database) throws Exception {
    DataSource source = source(database);
    VersionGuard guard = VersionGuard.of(table, "id", "version");
    VersionGuard.Change<Void> half =
        connection -> {
          Sql.execute(connection, "UPDATE " + table + " SET amount = 7 WHERE id = 1");
          throw new AssertionError("half done");
        };
    assertThatThrownBy(() -> guard.change(source, 1, half))
        .isInstanceOf(AssertionError.class)
        .hasMessage("half done");
    try (Connection connection = source.getConnection()) {
      assertThat(number(connection, "amount")).isZero();
      assertThat(number(connection, "version")).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void whatTheWorkThrowsIsNotHiddenByALostConnection(SqlDatabase database) throws Exception {
    DataSource source = source(database);
    VersionGuard guard = VersionGuard.of(table, "id", "version");
    VersionGuard.Change<Void> lost =
        connection -> {
          connection.close();
          throw new IllegalStateException("of the work");
        };
    assertThatThrownBy(() -> guard.change(source, 1, lost))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("of the work");
  }

  @ParameterizedTest
  @EnumSource(names = "H2")
  void aRowThatIsNotThereIsNamed(SqlDatabase database) throws Exception {
    DataSource source = source(database);
    VersionGuard guard = VersionGuard.of(table, "id", "version");
    assertThatThrownBy(() -> guard.change(source, 7, c -> 1))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessageContaining("id is 7");
    assertThatThrownBy(() -> VersionGuard.of("a.b.c", "id", "version"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> VersionGuard.of("a", "id\"", "version"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private int number(Connection connection, String column) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT " + column + " FROM " + table + " WHERE id = 1")) {
      result.next();
      return result.getInt(1);
    }
  }
}
