package dev.pawl.jdbc;

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

  private final Driver driver;
  private final String url;
  private final Properties properties;
  private volatile int loginTimeout;

  private UrlDataSource(Driver driver, String url, Properties properties) {
    this.driver = driver;
    this.url = url;
    this.properties = properties;
  }

  static UrlDataSource of(String url, SqlDatabase database, JdbcOptions options) {
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
    return new UrlDataSource(driver, url, properties(database, options, url));
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
      }
      case SQLITE -> {
        properties.put("busy_timeout", "" + millis);
        properties.put("journal_mode", "WAL");
        // A commit that is lost with the power takes nobody's lock away: SQLite is of one host,
        // and every holder lost its power too. Tokens go on from the clock.
        properties.put("synchronous", "NORMAL");
      }
      case H2 -> {}
    }
    String lower = url.toLowerCase(Locale.ROOT);
    properties
        .keySet()
        .removeIf(key -> lower.contains(key.toString().toLowerCase(Locale.ROOT) + "="));
    return properties;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = driver.connect(url, properties);
    if (connection == null) {
      throw new SQLException("the driver does not take this URL", "08001");
    }
    return connection;
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
