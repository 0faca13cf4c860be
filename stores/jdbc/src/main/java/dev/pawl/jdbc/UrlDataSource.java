package dev.pawl.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** New connections to a URL. The URL, which may have a password in it, stays in here. */
final class UrlDataSource implements DataSource {

  /** Of how many statements, in each connection, the server keeps the plans. */
  private static final String MOST_PREPARED = "50";

  /** How long such a statement is at most; those for hundreds of names are longer. */
  private static final String MOST_PREPARED_CHARS = "4096";

  /** How much more time than a call the first connections have, while a process starts. */
  private static final int FIRST_TIMES = 5;

  /** How many times as long as a call a process waits for its turn at a SQLite file. */
  private static final int SQLITE_TIMES = 10;

  private static final Duration MOST_TIMEOUT = Duration.ofMinutes(1);

  private final Driver driver;
  private final SqlDatabase database;
  private final String url;
  private final JdbcOptions options;
  private final Properties properties;
  private final Properties firstProperties;
  private volatile boolean first;
  private volatile int loginTimeout;

  private UrlDataSource(Driver driver, SqlDatabase database, String url, JdbcOptions options) {
    this.driver = driver;
    this.database = database;
    this.url = url;
    this.options = options;
    this.properties = properties(driver, database, options.timeout(), url);
    this.firstProperties = properties(driver, database, firstTimeout(options), url);
  }

  static UrlDataSource of(String url, SqlDatabase database, JdbcOptions options) {
    UrlCheck.check(url, database);
    Driver driver;
    try {
      driver = DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw UrlCheck.noDriver(url, database);
    }
    return new UrlDataSource(driver, database, url, options);
  }

  private static Duration firstTimeout(JdbcOptions options) {
    Duration longer = options.timeout().multipliedBy(FIRST_TIMES);
    return longer.compareTo(MOST_TIMEOUT) > 0 ? MOST_TIMEOUT : longer;
  }

  /**
   * Returns for how long work is tried again that others keep out. Of a SQLite file there is one
   * writer at a time, and processes by the dozen may stand in line: that is no outage.
   */
  Duration patience() {
    return database == SqlDatabase.SQLITE
        ? options.timeout().multipliedBy(SQLITE_TIMES)
        : options.timeout();
  }

  /**
   * Gives connections more time from now on, or no longer: on a busy machine the driver's classes,
   * and the server's process, take longer to start than any call later.
   */
  void first(boolean isFirst) {
    first = isFirst;
  }

  /** Returns a new pool of its connections. */
  HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(new Reconnecting(this));
    config.setPoolName("pawl " + this);
    config.setConnectionTimeout(Math.max(250, patience().toMillis()));
    config.setValidationTimeout(Math.max(250, options.timeout().toMillis()));
    config.setMinimumIdle(1);
    // Whether it can be reached is found out, and said, by the first statement.
    config.setInitializationFailTimeout(-1);
    // A broken one is evicted by whoever used it, with a line in the log and no stack trace.
    config.setExceptionOverride(Connections.WE_EVICT);
    if (database == SqlDatabase.SQLITE) {
      config.setMaximumPoolSize(1); // It has one writer at a time in any case.
      config.setMaxLifetime(0);
    } else {
      config.setMaximumPoolSize(options.poolSize());
    }
    if (database == SqlDatabase.POSTGRESQL || database.isMysqlLike()) {
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
    return new HikariDataSource(config);
  }

  /**
   * Lets PostgreSQL's driver send each statement whole, unless the URL says otherwise: behind a
   * pooler the next one may go to another process of the server, where it is not prepared.
   */
  void prepareNothing() {
    if (!isGiven(url, "prepareThreshold")) {
      properties.put("prepareThreshold", "0");
      firstProperties.put("prepareThreshold", "0");
    }
  }

  /** Leaves a file as it is, which would otherwise be made ready for locks. */
  void changeNothing() {
    properties.remove("journal_mode");
    firstProperties.remove("journal_mode");
  }

  /** What we ask of a driver, unless the URL says otherwise: that it does not wait for ever. */
  private static Properties properties(
      Driver driver, SqlDatabase database, Duration timeout, String url) {
    Properties properties = new Properties();
    long millis = timeout.toMillis();
    String seconds = "" + Math.max(1, (millis + 999) / 1_000);
    switch (database) {
      case POSTGRESQL -> {
        properties.put("connectTimeout", seconds);
        properties.put("loginTimeout", seconds);
        properties.put("socketTimeout", seconds);
        properties.put("tcpKeepAlive", "true");
        properties.put("ApplicationName", "pawl");
        if (findsUs(driver)) {
          properties.put("socketFactory", PromptSockets.class.getName());
        }
      }
      case MARIADB, MYSQL -> {
        properties.put("connectTimeout", "" + millis);
        properties.put("socketTimeout", "" + millis);
        properties.put("tcpKeepAlive", "true");
        // Otherwise the server parses the text of each statement, which takes longer than the rest.
        properties.put("useServerPrepStmts", "true");
        properties.put("cachePrepStmts", "true");
        properties.put("prepStmtCacheSize", MOST_PREPARED);
        properties.put("prepStmtCacheSqlLimit", MOST_PREPARED_CHARS);
      }
      case SQLITE -> {
        properties.put("busy_timeout", "" + millis);
        properties.put("journal_mode", "WAL");
        // A commit that is lost with the power takes nobody's lock away: SQLite is of one host,
        // and every holder lost its power too. Tokens go on from the clock.
        properties.put("synchronous", "NORMAL");
      }
      case H2 -> {
        if (url.startsWith("jdbc:h2:tcp:") || url.startsWith("jdbc:h2:ssl:")) {
          properties.put("NETWORK_TIMEOUT", "" + millis);
        }
      }
    }
    properties.keySet().removeIf(key -> isGiven(url, key.toString()));
    return properties;
  }

  /** Tells whether a driver that is given the name of a class of ours will find it. */
  private static boolean findsUs(Driver driver) {
    try {
      ClassLoader loader = driver.getClass().getClassLoader();
      return Class.forName(PromptSockets.class.getName(), false, loader) == PromptSockets.class;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static boolean isGiven(String url, String property) {
    return url.toLowerCase(Locale.ROOT).contains(property.toLowerCase(Locale.ROOT) + "=");
  }

  @Override
  public Connection getConnection() throws SQLException {
    boolean isFirst = first;
    Connection connection = driver.connect(url, isFirst ? firstProperties : properties);
    if (connection == null) {
      throw new SQLException("the driver does not take this URL", "08001");
    }
    if (isFirst && properties.containsKey("socketTimeout")) {
      connection.setNetworkTimeout(Runnable::run, (int) options.timeout().toMillis());
    }
    // SQLite's driver would compile each statement anew, which takes longer than to execute it.
    return database == SqlDatabase.SQLITE ? KeptStatements.of(connection) : connection;
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {
    loginTimeout = seconds;
  }

  @Override
  public int getLoginTimeout() {
    return loginTimeout;
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps nothing");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }

  @Override
  public String toString() {
    return Secrets.place(url);
  }
}
