package dev.pawl.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.bench.peer.SpinningLocks;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A row that is inserted, and deleted: no expiry, no token. */
final class UniqueKeys extends SpinningLocks {

  private static final String TAKE = "INSERT INTO raw_key (name, owner, until_us) VALUES (?, ?, 1)";
  private static final String FREE = "DELETE FROM raw_key WHERE name = ? AND owner = ?";

  /** SQLite's code of a primary key that is there already. */
  private static final String SQLITE_DUPLICATE = "SQLITE_CONSTRAINT_PRIMARYKEY";

  private final HikariDataSource pool;

  UniqueKeys(String url) {
    this.pool = Database.of(url).pool(url);
  }

  @Override
  protected boolean take(String name, String owner) throws SQLException {
    try {
      return run(TAKE, name, owner) == 1;
    } catch (SQLException e) {
      if (isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  private static boolean isDuplicate(SQLException e) {
    return String.valueOf(e.getSQLState()).startsWith("23")
        || String.valueOf(e.getMessage()).contains(SQLITE_DUPLICATE);
  }

  @Override
  protected void free(String name, String owner) throws SQLException {
    if (run(FREE, name, owner) != 1) {
      throw new IllegalStateException(name + " was not held any more");
    }
  }

  private int run(String sql, String name, String owner) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, name.getBytes(StandardCharsets.UTF_8));
      statement.setBytes(2, owner.getBytes(StandardCharsets.UTF_8));
      return statement.executeUpdate();
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
