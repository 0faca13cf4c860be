package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.PawlException;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of earlier versions: 1 did not know how long a mark is kept, 2 had no registers. */
class SchemaUpgradeTest {

  @TempDir static Path directory;

  @ParameterizedTest
  @EnumSource
  void tablesOfTheVersionBeforeAreUpgradedAndKeepTheirMarks(SqlDatabase database) throws Exception {
    JdbcOptions options = Databases.newTables();
    UrlDataSource source = Databases.source(Databases.url(database, directory), database, options);
    try (LockStore store = JdbcStore.open(source, options)) {
      reach(store, 10);
    }
    for (boolean half : new boolean[] {false, true}) {
      try (Connection connection = source.getConnection()) {
        if (half) {
          // Whoever upgraded died after the first statement.
          Sql.execute(
              connection, "UPDATE %s SET mark_until_us = 0".formatted(options.tables().leases()));
        } else {
          Sql.execute(
              connection,
              "ALTER TABLE %s DROP COLUMN mark_until_us".formatted(options.tables().leases()));
          Sql.execute(connection, "DROP TABLE " + options.tables().registers());
        }
        Sql.execute(connection, "UPDATE %s SET version = 1".formatted(options.tables().version()));
      }
      if (!half) {
        assertThatThrownBy(() -> JdbcStore.open(source, options.withCreateSchema(false)).close())
            .isInstanceOf(PawlException.class)
            .hasMessageContaining("version 1")
            .hasMessageContaining("ADD COLUMN mark_until_us")
            .hasMessageContaining("CREATE TABLE IF NOT EXISTS " + options.tables().registers());
      }

      try (LockStore store = JdbcStore.open(source, options)) {
        assertThat(store.acquire(ask(10)).toCompletableFuture().join())
            .isEqualTo(new AcquireReply.Done(10));
      }
      try (Connection connection = source.getConnection()) {
        assertThat(keptMicros(connection, options)).isEqualTo(Command.MIN_KEEP_MICROS);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void tablesWithoutRegistersGetThemAndKeepTheirMarks(SqlDatabase database) throws Exception {
    JdbcOptions options = Databases.newTables();
    UrlDataSource source = Databases.source(Databases.url(database, directory), database, options);
    try (LockStore store = JdbcStore.open(source, options)) {
      reach(store, 10);
    }
    try (Connection connection = source.getConnection()) {
      Sql.execute(connection, "DROP TABLE " + options.tables().registers());
      Sql.execute(connection, "UPDATE %s SET version = 2".formatted(options.tables().version()));
    }
    assertThatThrownBy(() -> JdbcStore.open(source, options.withCreateSchema(false)).close())
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("version 2")
        .hasMessageContaining("CREATE TABLE IF NOT EXISTS " + options.tables().registers())
        .message()
        .doesNotContain("ADD COLUMN");

    try (LockStore store = JdbcStore.open(source, options)) {
      assertThat(store.acquire(ask(10)).toCompletableFuture().join())
          .isEqualTo(new AcquireReply.Done(10));
      Register absent = store.registers().read("key").toCompletableFuture().join();
      assertThat(
              store
                  .registers()
                  .compareAndSet(absent, Optional.of("value"))
                  .toCompletableFuture()
                  .join())
          .isInstanceOf(RegisterReply.Written.class);
    }
    try (LockStore store = JdbcStore.open(source, options.withCreateSchema(false))) {
      assertThat(store.registers().read("key").toCompletableFuture().join().value())
          .contains("value");
    }
  }

  private static long keptMicros(Connection connection, JdbcOptions options) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT mark_until_us - last_token FROM " + options.tables().leases())) {
      result.next();
      return result.getLong(1);
    }
  }

  private static void reach(LockStore store, long mark) {
    AcquireReply reply = store.acquire(ask(mark)).toCompletableFuture().join();
    long token = ((AcquireReply.Granted) reply).grant().token();
    store
        .release(
            new Command.Release("n", new ClaimId("a", mark), token, OptionalLong.of(mark), false))
        .toCompletableFuture()
        .join();
  }

  private static Command.Acquire ask(long mark) {
    return new Command.Acquire(
        "n",
        new ClaimId("a", mark),
        Command.EVERYTHING,
        Command.EVERYTHING,
        10_000_000,
        1,
        OptionalLong.of(mark),
        false,
        true,
        "app",
        "main");
  }
}
