package dev.pawl.bench.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A database, as far as the bare statements differ. */
enum Database {
  SQLITE("SQLite", "BLOB", "CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000"),
  POSTGRESQL(
      "PostgreSQL", "bytea", "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint"),
  MARIADB(
      "MariaDB",
      "VARBINARY(255)",
      "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))");

  /** The size of Pawl's own pool. */
  static final int CONNECTIONS = 8;

  private final String title;
  private final String key;
  private final String now;

  Database(String title, String key, String now) {
    this.title = title;
    this.key = key;
    this.now = now;
  }

  static Database of(String url) {
    return url.startsWith("jdbc:sqlite:")
        ? SQLITE
        : url.startsWith("jdbc:postgresql:") ? POSTGRESQL : MARIADB;
  }

  String title() {
    return title;
  }

  /** Opens a pool of the kind that Pawl has for a URL. */
  HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setMinimumIdle(1);
    if (this == SQLITE) {
      config.setJdbcUrl(url + "?journal_mode=WAL&synchronous=NORMAL&busy_timeout=3000");
      config.setMaximumPoolSize(1);
      config.setMaxLifetime(0);
    } else {
      config.setJdbcUrl(url);
      config.setMaximumPoolSize(CONNECTIONS);
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
    return new HikariDataSource(config);
  }

  /** Creates the tables of the bare statements and of the peers. */
  void createTables(String url) {
    try (HikariDataSource pool = pool(url);
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : tables()) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> tables() {
    return List.of(
        "CREATE TABLE raw_lease (name %1$s PRIMARY KEY, owner %1$s, token BIGINT, until_us BIGINT)"
            .formatted(key),
        "CREATE TABLE raw_key (name %1$s PRIMARY KEY, owner %1$s, until_us BIGINT)".formatted(key),
        """
        CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3) NULL,
          locked_at TIMESTAMP(3) NULL, locked_by VARCHAR(255))
        """,
        """
        CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL,
          CLIENT_ID CHAR(36), CREATED_DATE TIMESTAMP(3) NOT NULL,
          EXPIRED_AFTER TIMESTAMP(3) NOT NULL, PRIMARY KEY (LOCK_KEY, REGION))
        """);
  }

  /** Takes a lease row if it is free, and returns its owner if it is: name, owner, lease. */
  String upsert() {
    String insert =
        """
        INSERT INTO raw_lease %2$s (name, owner, token, until_us)
        VALUES (?, ?, %1$s, %1$s + ?)
        """;
    String tail =
        this == MARIADB
            ? """
              ON DUPLICATE KEY UPDATE
                owner = IF(until_us <= VALUE(token), VALUE(owner), owner),
                token = IF(until_us <= VALUE(token), GREATEST(token + 1, VALUE(token)), token),
                until_us = IF(owner = VALUE(owner), VALUE(until_us), until_us)
              RETURNING owner
              """
            : """
              ON CONFLICT (name) DO UPDATE SET owner = excluded.owner,
                token = CASE WHEN l.token < excluded.token THEN excluded.token ELSE l.token + 1 END,
                until_us = excluded.until_us
              WHERE l.until_us <= excluded.token
              RETURNING owner
              """;
    return (insert + tail).formatted(now, this == MARIADB ? "" : "AS l");
  }
}
