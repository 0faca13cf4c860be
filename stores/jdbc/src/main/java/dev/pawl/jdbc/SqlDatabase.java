package dev.pawl.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

/** A database this store speaks the dialect of. */
public enum SqlDatabase {
  /** SQLite 3.42 or later. */
  SQLITE("org.xerial:sqlite-jdbc", "CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000", "BLOB"),
  /** PostgreSQL 12 or later. */
  POSTGRESQL("org.postgresql:postgresql", Constants.POSTGRES_NOW, "bytea"),
  /** MariaDB 10.6 or later. */
  MARIADB("org.mariadb.jdbc:mariadb-java-client", Constants.MYSQL_NOW, "LONGBLOB"),
  /** MySQL 8 or later. */
  MYSQL("com.mysql:mysql-connector-j", Constants.MYSQL_NOW, "LONGBLOB"),
  /** H2 2.2 or later. */
  H2(
      "com.h2database:h2",
      "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
      "VARBINARY");

  private static final class Constants {
    /** A double, cheaper than {@code extract}'s numeric, and until 2106 good to a microsecond. */
    static final String POSTGRES_NOW =
        "(date_part('epoch', statement_timestamp()) * 1000000)::bigint";

    /** By way of UTC: a session's own time zone has an hour twice when summer time ends. */
    static final String MYSQL_NOW =
        "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
  }

  private final String driver;
  private final String now;
  private final String bytes;

  SqlDatabase(String driver, String now, String bytes) {
    this.driver = driver;
    this.now = now;
    this.bytes = bytes;
  }

  /** Returns the Maven coordinates of its driver. */
  String driver() {
    return driver;
  }

  /** Returns the name of its driver's class. */
  String driverClass() {
    return switch (this) {
      case SQLITE -> "org.sqlite.JDBC";
      case POSTGRESQL -> "org.postgresql.Driver";
      case MARIADB -> "org.mariadb.jdbc.Driver";
      case MYSQL -> "com.mysql.cj.jdbc.Driver";
      case H2 -> "org.h2.Driver";
    };
  }

  /** Returns the form of its URLs. */
  String form() {
    return switch (this) {
      case SQLITE -> "sqlite:PATH";
      case H2 -> "jdbc:h2:file:PATH or jdbc:h2:tcp://host:port/PATH";
      default -> "jdbc:" + name().toLowerCase(Locale.ROOT) + "://host:port/db?user=…&password=…";
    };
  }

  /** Returns the expression of its clock in microseconds since 1970, the same in a statement. */
  String now() {
    return now;
  }

  /** Returns the type of bytes of any length. */
  String bytes() {
    return bytes;
  }

  /** Returns the type of a key of bytes, compared one by one, without padding. */
  String keyBytes() {
    return this == SQLITE || this == POSTGRESQL ? bytes : "VARBINARY(255)";
  }

  /** Returns the function that gives the greater of two numbers. */
  String greatest() {
    return this == SQLITE ? "max" : "GREATEST";
  }

  /** Returns the end of a query that gives that many rows, a number or a parameter. */
  String first(String count) {
    return this == H2 ? " FETCH FIRST " + count + " ROWS ONLY" : " LIMIT " + count;
  }

  /** Returns the end of a query that gives the one row after so many. */
  String oneAfter(int rows) {
    return this == H2
        ? " OFFSET " + rows + " ROWS FETCH FIRST 1 ROWS ONLY"
        : " LIMIT 1 OFFSET " + rows;
  }

  /**
   * Returns a condition, always true, by which a statement's commit does not wait for the disk;
   * where a database can do that for one statement. Good for a release: if a crash undoes it, the
   * name stays held until its lease ends, and the commit of any later grant takes it to the disk.
   * And for a refusal, which changes nothing.
   */
  String unflushed() {
    return this == POSTGRESQL
        ? " AND set_config('synchronous_commit', 'off', true) IS NOT NULL"
        : "";
  }

  boolean isMysqlLike() {
    return this == MARIADB || this == MYSQL;
  }

  /** Tells which dialect a connection understands: the server's, as far as the driver can. */
  static SqlDatabase of(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String product = metaData.getDatabaseProductName().toLowerCase(Locale.ROOT);
    String version = metaData.getDatabaseProductVersion().toLowerCase(Locale.ROOT);
    if (metaData.getDriverName().toLowerCase(Locale.ROOT).contains("mysql")) {
      return MYSQL; // MySQL's driver cannot fetch what MariaDB returns for an INSERT.
    }
    if (product.contains("mariadb") || version.contains("mariadb")) {
      return MARIADB;
    }
    return switch (product) {
      case "sqlite" -> SQLITE;
      case "postgresql" -> POSTGRESQL;
      case "mysql" -> MYSQL;
      case "h2" -> H2;
      default ->
          throw new IllegalArgumentException(
              "the database is \""
                  + metaData.getDatabaseProductName()
                  + "\"; known are SQLite, PostgreSQL, MariaDB, MySQL and H2");
    };
  }

  /** Tells which database a JDBC URL is for; MariaDB behind MySQL's driver is found out later. */
  static SqlDatabase ofUrl(String url) {
    for (SqlDatabase database : values()) {
      if (url.startsWith("jdbc:" + database.name().toLowerCase(Locale.ROOT) + ":")) {
        return database;
      }
    }
    int scheme = url.indexOf(':', "jdbc:".length());
    throw new IllegalArgumentException(
        "no JDBC URL of SQLite, PostgreSQL, MariaDB, MySQL or H2: it begins with "
            + (scheme < 0 ? "jdbc:" : url.substring(0, scheme + 1)));
  }
}
