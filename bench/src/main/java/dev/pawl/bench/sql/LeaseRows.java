package dev.pawl.bench.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.bench.peer.SpinningLocks;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/** The two statements that a lease in a row needs: an upsert, if it is free, and an update. */
final class LeaseRows extends SpinningLocks {

  private static final long LEASE_MICROS = 10_000_000;
  private static final String FREE =
      "UPDATE raw_lease SET owner = NULL, until_us = 0 WHERE name = ? AND owner = ?";

  private final HikariDataSource pool;
  private final String upsert;

  LeaseRows(String url) {
    Database database = Database.of(url);
    this.pool = database.pool(url);
    this.upsert = database.upsert();
  }

  @Override
  protected boolean take(String name, String owner) throws SQLException {
    byte[] ownerBytes = owner.getBytes(StandardCharsets.UTF_8);
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(upsert)) {
      statement.setBytes(1, name.getBytes(StandardCharsets.UTF_8));
      statement.setBytes(2, ownerBytes);
      statement.setLong(3, LEASE_MICROS);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() && Arrays.equals(result.getBytes(1), ownerBytes);
      }
    }
  }

  @Override
  protected void free(String name, String owner) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(FREE)) {
      statement.setBytes(1, name.getBytes(StandardCharsets.UTF_8));
      statement.setBytes(2, owner.getBytes(StandardCharsets.UTF_8));
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException(name + " was not held any more");
      }
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
