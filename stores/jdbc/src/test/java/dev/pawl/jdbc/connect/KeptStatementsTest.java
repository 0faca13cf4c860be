package dev.pawl.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.jdbc.sql.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptStatementsTest {

  private static final String READ = "SELECT ?";

  @TempDir Path directory;

  private Connection connection;
  private int prepared;

  @BeforeEach
  void open() throws SQLException {
    Connection driver = DriverManager.getConnection(url());
    connection =
        KeptStatements.of(
            (Connection)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, method, arguments) -> {
                      if (method.getName().equals("prepareStatement")) {
                        prepared++;
                      }
                      try {
                        return method.invoke(driver, arguments);
                      } catch (InvocationTargetException e) {
                        throw e.getCause();
                      }
                    }),
            Optional.of(directory.resolve("locks.db")));
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @Test
  void aTextIsPreparedOnce() throws SQLException {
    for (int i = 0; i < 3; i++) {
      try (PreparedStatement statement = connection.prepareStatement(READ)) {
        assertThat(read(statement, i)).isEqualTo(i);
      }
    }
    assertThat(prepared).isEqualTo(1);
  }

  @Test
  void whatIsInUseIsNotGivenToAnother() throws SQLException {
    try (PreparedStatement one = connection.prepareStatement(READ);
        PreparedStatement two = connection.prepareStatement(READ)) {
      one.setInt(1, 1);
      assertThat(read(two, 2)).isEqualTo(2);
      try (ResultSet result = one.executeQuery()) {
        assertThat(result.getInt(1)).isEqualTo(1);
      }
    }
    assertThat(prepared).isEqualTo(2);
  }

  @Test
  void whatHasFailedIsPreparedAnew() throws SQLException {
    Sql.execute(connection, "CREATE TABLE t (x INTEGER PRIMARY KEY)");
    for (int i = 0; i < 2; i++) {
      try (PreparedStatement statement = connection.prepareStatement("INSERT INTO t VALUES (?)")) {
        statement.setInt(1, 1);
        if (i == 0) {
          statement.executeUpdate();
        } else {
          assertThatThrownBy(statement::executeUpdate).isInstanceOf(SQLException.class);
        }
      }
    }
    assertThat(prepared).isEqualTo(1);
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO t VALUES (?)")) {
      statement.setInt(1, 2);
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
    assertThat(prepared).isEqualTo(2);
  }

  @Test
  void whatItWroteIsCommittedWhenItsAnswerIsRead() throws SQLException {
    Sql.execute(connection, "CREATE TABLE t (x INTEGER)");
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO t VALUES (?), (?) RETURNING x")) {
      statement.setInt(1, 1);
      statement.setInt(2, 2);
      try (ResultSet result = statement.executeQuery()) {
        assertThat(result.next()).isTrue();
      }
    }
    try (Connection other = DriverManager.getConnection(url());
        PreparedStatement count = other.prepareStatement("SELECT ? + count(*) FROM t")) {
      assertThat(read(count, 0)).isEqualTo(2);
      Sql.execute(other, "INSERT INTO t VALUES (3)"); // Nobody has the file locked.
    }
  }

  private static int read(PreparedStatement statement, int value) throws SQLException {
    statement.setInt(1, value);
    try (ResultSet result = statement.executeQuery()) {
      result.next();
      return result.getInt(1);
    }
  }

  private String url() {
    return "jdbc:sqlite:" + directory.resolve("locks.db");
  }
}
