package dev.pawl.jdbc.connect;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.jdbc.dialect.Dialect;
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
public final class UrlDataSource implements DataSource {

  /** How much more time than a call the first connections have, while a process starts. */
  private static final int FIRST_TIMES = 5;

  /** How many times as long as a call a process waits for its turn where one at a time writes. */
  private static final int ONE_WRITER_TIMES = 10;

  private static final Duration MOST_TIMEOUT = Duration.ofMinutes(1);

  /** How long its pool is waited for at a time, the least that it allows: see Connections. */
  private static final long MOMENT_MILLIS = 250;

  private final Driver driver;
  private final Dialect dialect;
  private final String url;
  private final Duration timeout;
  private final int poolSize;
  private final Properties properties;
  private final Properties firstProperties;
  private volatile boolean first;
  private volatile int loginTimeout;
  private volatile @Nullable String initSql;

  private UrlDataSource(
      Driver driver, Dialect dialect, String url, Duration timeout, int poolSize) {
    this.driver = driver;
    this.dialect = dialect;
    this.url = url;
    this.timeout = timeout;
    this.poolSize = poolSize;
    this.properties = properties(timeout);
    this.firstProperties = properties(firstTimeout());
  }

  /**
   * Returns new connections to a URL, which is checked first.
   *
   * @param timeout how long one statement, or the wait for a connection, may take
   * @param poolSize how many connections a pool has at most
   */
  public static UrlDataSource of(String url, Dialect dialect, Duration timeout, int poolSize) {
    UrlCheck.check(url, dialect);
    Driver driver;
    try {
      driver = DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw UrlCheck.noDriver(url, dialect);
    }
    return new UrlDataSource(driver, dialect, url, timeout, poolSize);
  }

  private Duration firstTimeout() {
    Duration longer = timeout.multipliedBy(FIRST_TIMES);
    return longer.compareTo(MOST_TIMEOUT) > 0 ? MOST_TIMEOUT : longer;
  }

  /**
   * Returns for how long work is tried again that others keep out. Where there is one writer at a
   * time, processes by the dozen may stand in line: that is no outage.
   */
  Duration patience() {
    return dialect.hasOneWriter() ? timeout.multipliedBy(ONE_WRITER_TIMES) : timeout;
  }

  /**
   * Gives connections more time from now on, or no longer: on a busy machine the driver's classes,
   * and the server's process, take longer to start than any call later.
   */
  public void first(boolean isFirst) {
    first = isFirst;
  }

  /** Returns a new pool of its connections. */
  public HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(new Reconnecting(this, dialect));
    config.setPoolName("pawl " + this);
    config.setConnectionTimeout(MOMENT_MILLIS);
    config.setValidationTimeout(Math.max(250, timeout.toMillis()));
    config.setMinimumIdle(1);
    // Whether it can be reached is found out, and said, by the first statement.
    config.setInitializationFailTimeout(-1);
    // A broken one is evicted by whoever used it, with a line in the log and no stack trace.
    config.setExceptionOverride(Connections.WE_EVICT);
    config.setConnectionInitSql(initSql);
    config.setMaximumPoolSize(dialect.hasOneWriter() ? 1 : poolSize);
    if (dialect.hasOneWriter() || dialect.goesWithLastConnection(url)) {
      // The only one would be closed before the next is made, and all locks in memory were gone.
      config.setMaxLifetime(0);
    }
    if (dialect.setsReadCommitted()) {
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }
    return new HikariDataSource(config);
  }

  /**
   * Lets the driver send each statement whole, unless the URL says otherwise: behind a pooler the
   * next one may go to another process of the server, where it is not prepared.
   */
  public void prepareNothing() {
    dialect
        .unpreparedProperties()
        .forEach(
            (key, value) -> {
              if (!isGiven(url, key)) {
                properties.put(key, value);
                firstProperties.put(key, value);
              }
            });
  }

  /**
   * Lets the server end transactions of the pool's connections that stand still, unless the URL
   * says otherwise.
   *
   * @param server the dialect of the server, which may not be that of the URL
   */
  public void endIdleTransactions(Dialect server) {
    server
        .endingIdleTransactions(timeout)
        .forEach(
            (setting, value) -> {
              if (!isGiven(url, setting)) {
                initSql = "SET SESSION " + setting + " = " + value;
              }
            });
  }

  /** Leaves a file as it is, which would otherwise be made ready for locks. */
  public void changeNothing() {
    dialect.changingProperties().forEach(properties::remove);
    dialect.changingProperties().forEach(firstProperties::remove);
  }

  /** What we ask of a driver, unless the URL says otherwise. */
  private Properties properties(Duration timeout) {
    Properties asked = dialect.properties(driver, timeout, url);
    asked.keySet().removeIf(key -> isGiven(url, key.toString()));
    return asked;
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
      connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
    }
    return dialect.keepsStatements()
        ? connection
        : KeptStatements.of(connection, dialect.file(connection));
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
