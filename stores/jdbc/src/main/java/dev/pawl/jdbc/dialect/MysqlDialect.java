package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.Command;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Grant;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Properties;

/**
 * MySQL 8 or later, and whatever MySQL's own driver is connected to: it cannot fetch what MariaDB
 * returns for an {@code INSERT}.
 */
public class MysqlDialect extends Dialect {

  /** By way of UTC: a session's own time zone has an hour twice when summer time ends. */
  static final String NOW =
      "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";

  private static final int RECORD_CHANGED = 1020; // MariaDB's, which MySQL's driver may be at
  private static final int DISK_FULL = 1021;
  private static final int OUT_OF_MEMORY = 1041;
  private static final int DUPLICATE_KEY = 1062;
  private static final int TABLE_FULL = 1114;
  private static final int TABLE_DENIED = 1142;
  private static final int TOO_MANY_OF_USER = 1203;
  private static final int LOCK_WAIT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int USER_LIMIT = 1226; // of connections, or of statements in an hour
  private static final int OPTION_PREVENTS = 1290; // read-only
  private static final int READ_ONLY_TRANSACTION = 1792;
  private static final int READ_ONLY_MODE = 1836;
  private static final int STATEMENT_TIMEOUT = 1969; // MariaDB's
  private static final int EXECUTION_TIMEOUT = 3024; // MySQL's, of what reads
  private static final int NOWAIT = 3572;

  /** Of how many statements, in each connection, the server keeps the plans. */
  private static final String MOST_PREPARED = "50";

  /** How long such a statement is at most; those for hundreds of names are longer. */
  private static final String MOST_PREPARED_CHARS = "4096";

  /** Returns it. */
  public MysqlDialect() {
    this(NOW);
  }

  MysqlDialect(String now) {
    super(now);
  }

  @Override
  public Dialect withClock(String expression) {
    return new MysqlDialect(expression);
  }

  @Override
  public String title() {
    return "MySQL";
  }

  @Override
  public String scheme() {
    return "jdbc:mysql:";
  }

  @Override
  public String form() {
    return "jdbc:mysql://host:port/db?user=…&password=…";
  }

  @Override
  public String driver() {
    return "com.mysql:mysql-connector-j";
  }

  @Override
  public String driverClass() {
    return "com.mysql.cj.jdbc.Driver";
  }

  @Override
  public boolean isOf(DatabaseMetaData metaData) throws SQLException {
    return isOfOwnDriver(metaData)
        || (metaData.getDatabaseProductName().toLowerCase(Locale.ROOT).equals("mysql")
            && !isMariaDb(metaData));
  }

  static boolean isOfOwnDriver(DatabaseMetaData metaData) throws SQLException {
    return metaData.getDriverName().toLowerCase(Locale.ROOT).contains("mysql");
  }

  static boolean isMariaDb(DatabaseMetaData metaData) throws SQLException {
    return (metaData.getDatabaseProductName() + " " + metaData.getDatabaseProductVersion())
        .toLowerCase(Locale.ROOT)
        .contains("mariadb");
  }

  @Override
  public String bytes() {
    return "LONGBLOB";
  }

  @Override
  public String keyBytes() {
    return "VARBINARY(255)";
  }

  @Override
  public String serial() {
    return "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY";
  }

  @Override
  public String tableEnd() {
    return " ENGINE = InnoDB";
  }

  /**
   * It cannot return a row it writes: one {@code UPDATE}, whose new token comes back as the last
   * insert id. A new name costs a look and an {@code INSERT} more.
   */
  @Override
  public Taking taking(String table) {
    // Right whether assignments see the ones before or not, as in MariaDB's mode
    // SIMULTANEOUS_ASSIGNMENT.
    String update =
        """
        UPDATE %1$s SET version = version + 1,
          token = LAST_INSERT_ID(GREATEST(last_token + 1, %2$s)),
          last_token = GREATEST(last_token + 1, %2$s) + ? - 1,
          claim = ?, permits = ?, span = ?, label = ?, actor = ?, rest = NULL,
          since_us = %2$s, until_us = %2$s + ?
        WHERE name = ? AND until_us <= %2$s AND mark < ?
        """
            .formatted(table, now());
    // IGNORE makes nothing of a record that another was faster to make.
    String insert =
        """
        INSERT IGNORE INTO %1$s (last_token, claim, permits, span, label, actor, until_us, name,
          version, mark, token, since_us, rest)
        VALUES (%2$s + ? - 1, ?, ?, ?, ?, ?, %2$s + ?, ?, %2$s, -1, LAST_INSERT_ID(%2$s), %2$s,
          NULL)
        """
            .formatted(table, now());
    return (connection, command, look) -> {
      OptionalLong token = Sql.updateForId(connection, update, Taking.update(command));
      if (token.isPresent()) {
        return granted(command, token.getAsLong());
      }
      // Most often the name is held, and whoever asked wants to know by whom.
      LeaseRecord record = look.at(connection, command.name());
      if (record.exists()) {
        return new Attempt.Taken(record);
      }
      token = Sql.updateForId(connection, insert, Taking.insert(command));
      return token.isPresent() ? granted(command, token.getAsLong()) : new Attempt.Unknown();
    };
  }

  /**
   * The token is the clock, or a little more: good enough as the reading of the clock from which
   * the node counts, since only differences of one answer matter.
   */
  private static Attempt granted(Command.Acquire command, long token) {
    return new Attempt.Granted(
        new Grant(command.claim(), token, command.span(), token + command.leaseMicros(), token));
  }

  @Override
  public String nameParameter() {
    return "CAST(? AS BINARY)";
  }

  @Override
  public boolean isLockedByOthers(SQLException e) {
    return isRolledBack(e) || e.getErrorCode() == NOWAIT;
  }

  @Override
  public OptionalLong lockWaitSeconds(Connection connection) throws SQLException {
    return OptionalLong.of(
        Long.parseLong(Sql.text(connection, "SELECT @@innodb_lock_wait_timeout")));
  }

  @Override
  public void setLockWaitSeconds(Connection connection, long seconds) throws SQLException {
    Sql.execute(connection, "SET SESSION innodb_lock_wait_timeout = " + seconds);
  }

  @Override
  public boolean admit(Connection connection, String table, byte[] resource, long token)
      throws SQLException {
    String sql =
        """
        INSERT INTO %s (resource, token) VALUES (?, LAST_INSERT_ID(?))
        ON DUPLICATE KEY UPDATE token = LAST_INSERT_ID(GREATEST(token, VALUES(token)))"""
            .formatted(table);
    Sql.update(connection, sql, resource, token);
    // The last insert id of an unchanged row is in the session, not always in the answer.
    return Sql.text(connection, "SELECT LAST_INSERT_ID()").equals("" + token);
  }

  @Override
  public boolean isRolledBack(SQLException e) {
    return super.isRolledBack(e)
        || List.of(LOCK_WAIT, DEADLOCK, RECORD_CHANGED).contains(e.getErrorCode());
  }

  @Override
  public boolean isDuplicate(SQLException e) {
    return state(e).equals("23000") && e.getErrorCode() == DUPLICATE_KEY;
  }

  @Override
  public boolean isDenied(SQLException e) {
    return e.getErrorCode() == TABLE_DENIED;
  }

  @Override
  public boolean isReadOnly(SQLException e) {
    return e.getErrorCode() == READ_ONLY_TRANSACTION
        || (state(e).equals("HY000")
            && List.of(OPTION_PREVENTS, READ_ONLY_MODE).contains(e.getErrorCode()));
  }

  @Override
  public boolean isTimeUp(SQLException e) {
    return List.of(STATEMENT_TIMEOUT, EXECUTION_TIMEOUT).contains(e.getErrorCode());
  }

  /** It ended a statement that took too long, or lacks disk, memory or connections. */
  @Override
  public boolean isRefusal(SQLException e) {
    return isReadOnly(e)
        || isTimeUp(e)
        || List.of(DISK_FULL, OUT_OF_MEMORY, TABLE_FULL, TOO_MANY_OF_USER, USER_LIMIT)
            .contains(e.getErrorCode());
  }

  /**
   * S1000 is a general error of the driver's; 70100 an interrupt, at whatever it was, but for the
   * one that says why.
   */
  @Override
  public boolean isConnectionLost(SQLException e) {
    return !isTimeUp(e)
        && (List.of("S1000", "70100").contains(state(e)) || super.isConnectionLost(e));
  }

  @Override
  public boolean takesUserBeforeHost() {
    return true;
  }

  @Override
  public Properties properties(Driver driver, Duration timeout, String url) {
    Properties properties = new Properties();
    properties.put("connectTimeout", "" + timeout.toMillis());
    properties.put("socketTimeout", "" + timeout.toMillis());
    properties.put("tcpKeepAlive", "true");
    // Otherwise the server parses the text of each statement, which takes longer than the rest.
    properties.put("useServerPrepStmts", "true");
    properties.put("cachePrepStmts", "true");
    properties.put("prepStmtCacheSize", MOST_PREPARED);
    properties.put("prepStmtCacheSqlLimit", MOST_PREPARED_CHARS);
    return properties;
  }

  @Override
  public ServerTraits traits(Connection connection) throws SQLException {
    return new ServerTraits(
        this,
        isOn(variable(connection, "read_only")),
        isOn(variable(connection, "wsrep_on")),
        false,
        "",
        Sql.text(connection, "SELECT @@sql_mode").contains("EMPTY_STRING_IS_NULL"));
  }

  @Override
  public List<Finding> durability(Connection connection) throws SQLException {
    String setting = "innodb_flush_log_at_trx_commit";
    return List.of(flushed(setting, variable(connection, setting), List.of("1"), "1"));
  }

  /** Returns a variable; empty if there is none of that name. */
  private static String variable(Connection connection, String name) throws SQLException {
    return Sql.one(
            connection,
            "SHOW GLOBAL VARIABLES WHERE Variable_name = ?",
            result -> result.getString(2),
            name)
        .orElse("");
  }

  private static boolean isOn(String value) {
    return !value.toUpperCase(Locale.ROOT).matches("OFF|0|");
  }
}
