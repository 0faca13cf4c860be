package dev.pawl.jdbc.register;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Registers in a table of their own, a row each, whose version decides every write. */
public final class SqlRegisters implements Registers {

  private final Connections connections;
  private final Dialect dialect;
  private final String table;

  /** Returns the registers in that table. */
  public SqlRegisters(Connections connections, Dialect dialect, String table) {
    this.connections = connections;
    this.dialect = dialect;
    this.table = table;
  }

  @Override
  public CompletionStage<Register> read(String key) {
    Register absent = Register.absent(key);
    return stage(() -> current(absent));
  }

  private Register current(Register absent) {
    String sql = "SELECT name, version, content FROM %s WHERE name = ?".formatted(table);
    return connections
        .read("register", c -> Sql.one(c, sql, SqlRegisters::register, Utf8.bytes(absent.key())))
        .orElse(absent);
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    Register next = seen.next(value);
    return stage(
        () ->
            connections.write("register", c -> isWritten(c, seen, next))
                ? new RegisterReply.Written(next)
                : new RegisterReply.Changed(current(Register.absent(seen.key()))));
  }

  private boolean isWritten(Connection connection, Register seen, Register next)
      throws SQLException {
    byte[] key = Utf8.bytes(next.key());
    byte @Nullable [] content = next.value().map(Utf8::bytes).orElse(null);
    if (seen.version() > 0) {
      String sql =
          "UPDATE %s SET version = ?, content = ? WHERE name = ? AND version = ?".formatted(table);
      return Sql.update(connection, sql, next.version(), content, key, seen.version()) == 1;
    }
    String sql = "INSERT INTO %s (name, version, content) VALUES (?, ?, ?)".formatted(table);
    try {
      return Sql.update(connection, sql, key, next.version(), content) == 1;
    } catch (SQLException e) {
      if (dialect.isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    byte[] start = Utf8.bytes(prefix);
    Optional<byte[]> end = Utf8.after(start);
    String sql =
        "SELECT name, version, content FROM %s WHERE content IS NOT NULL AND name >= ?%s ORDER BY name%s"
            .formatted(table, end.isPresent() ? " AND name < ?" : "", dialect.first("?"));
    List<Object> parameters = new ArrayList<>();
    parameters.add(start);
    end.ifPresent(parameters::add);
    parameters.add(limit);
    return stage(
        () ->
            connections.read(
                "register", c -> Sql.all(c, sql, SqlRegisters::register, parameters.toArray())));
  }

  private static Register register(ResultSet result) throws SQLException {
    byte[] content = result.getBytes(3);
    return new Register(
        Utf8.text(result.getBytes(1)),
        result.getLong(2),
        content == null ? Optional.empty() : Optional.of(Utf8.text(content)));
  }

  private static <T> CompletionStage<T> stage(Supplier<T> work) {
    try {
      return CompletableFuture.completedFuture(work.get());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
