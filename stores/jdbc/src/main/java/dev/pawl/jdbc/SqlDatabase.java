package dev.pawl.jdbc;

import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.H2Dialect;
import dev.pawl.jdbc.dialect.MariaDbDialect;
import dev.pawl.jdbc.dialect.MysqlDialect;
import dev.pawl.jdbc.dialect.PostgresDialect;
import dev.pawl.jdbc.dialect.SqliteDialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The SQL databases that locks can be kept in. */
public enum SqlDatabase {
  /** SQLite 3.42 or later. */
  SQLITE(new SqliteDialect()),
  /** PostgreSQL 12 or later. */
  POSTGRESQL(new PostgresDialect()),
  /** MariaDB 10.6 or later. */
  MARIADB(new MariaDbDialect()),
  /** MySQL 8 or later. */
  MYSQL(new MysqlDialect()),
  /** H2 2.2 or later. */
  H2(new H2Dialect());

  @SuppressWarnings("ImmutableEnumChecker") // It is: a dialect has texts, and nothing else.
  private final Dialect dialect;

  SqlDatabase(Dialect dialect) {
    this.dialect = dialect;
  }

  /** Returns everything in which it differs from the others. */
  Dialect dialect() {
    return dialect;
  }

  static List<Dialect> dialects() {
    return Arrays.stream(values()).map(SqlDatabase::dialect).toList();
  }

  /** Tells which dialect a connection understands: the server's, as far as the driver can. */
  static Dialect dialect(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    for (Dialect each : dialects()) {
      if (each.isOf(metaData)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "the database is \""
            + metaData.getDatabaseProductName()
            + "\"; known are "
            + titles("and"));
  }

  /** Tells which dialect a JDBC URL is for; MariaDB behind MySQL's driver is found out later. */
  static Dialect dialect(String url) {
    for (Dialect each : dialects()) {
      if (url.startsWith(each.scheme())) {
        return each;
      }
    }
    int scheme = url.indexOf(':', "jdbc:".length());
    throw new IllegalArgumentException(
        "no JDBC URL of "
            + titles("or")
            + ": it begins with "
            + (scheme < 0 ? "jdbc:" : url.substring(0, scheme + 1)));
  }

  private static String titles(String last) {
    List<String> titles = dialects().stream().map(Dialect::title).toList();
    return titles.stream().limit(titles.size() - 1L).collect(Collectors.joining(", "))
        + " "
        + last
        + " "
        + titles.get(titles.size() - 1);
  }
}
