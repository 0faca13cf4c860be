package dev.pawl.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
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

  private final Driver driver;
  private final SqlDatabase database;
  private final String url;
  private final Properties properties;
  private volatile int loginTimeout;

  private UrlDataSource(Driver driver, SqlDatabase database, String url, Properties properties) {
    this.driver = driver;
    this.database = database;
    this.url = url;
    this.properties = properties;
  }

  static UrlDataSource of(String url, SqlDatabase database, JdbcOptions options) {
    checkShared(url);
    Driver driver;
    try {
      driver = DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "no JDBC driver on the class path for "
              + Secrets.place(url)
              + "; add "
              + database.driver());
    }
    Properties properties = properties(database, options, url);
    if (database == SqlDatabase.POSTGRESQL && !isGiven(url, "socketFactory") && findsUs(driver)) {
      properties.put("socketFactory", PromptSockets.class.getName());
    }
    return new UrlDataSource(driver, database, url, properties);
  }

  /** Refuses a database that its own users do not share. */
  private static void checkShared(String url) {
    if (url.startsWith("jdbc:sqlite::memory:") || url.equals("jdbc:sqlite:")) {
      throw new IllegalArgumentException(
          "a SQLite database in memory is seen by one connection only: name a file, or use memory:");
    }
    if (url.startsWith("jdbc:h2:") && url.toUpperCase(Locale.ROOT).contains(";FILE_LOCK=NO")) {
      throw new IllegalArgumentException(
          "with FILE_LOCK=NO several processes open one H2 file, do not see each other's locks, and"
              + " spoil the file: leave it out, and add AUTO_SERVER=TRUE for several processes");
    }
  }

  /** Returns a new pool of its connections. */
  HikariDataSource pool(JdbcOptions options) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(this);
    config.setPoolName("pawl " + this);
    config.setConnectionTimeout(Math.max(250, options.timeout().toMillis()));
    config.setValidationTimeout(Math.max(250, options.timeout().toMillis()));
    config.setMinimumIdle(1);
    // Whether it can be reached is found out, and said, by the first statement.
    config.setInitializationFailTimeout(-1);
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
    }
  }

  /** What we ask of a driver, unless the URL says otherwise: that it does not wait for ever. */
  private static Properties properties(SqlDatabase database, JdbcOptions options, String url) {
    Properties properties = new Properties();
    long millis = options.timeout().toMillis();
    String seconds = "" + Math.max(1, (millis + 999) / 1_000);
    switch (database) {
      case POSTGRESQL -> {
        properties.put("connectTimeout", seconds);
        properties.put("loginTimeout", seconds);
        properties.put("socketTimeout", seconds);
        properties.put("tcpKeepAlive", "true");
        properties.put("ApplicationName", "pawl");
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
    Connection connection = driver.connect(url, properties);
    if (connection == null) {
      throw new SQLException("the driver does not take this URL", "08001");
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
