package dev.pawl.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.DistributedLock;
import dev.pawl.Pawl;
import dev.pawl.testservers.MariaDbServer;
import dev.pawl.testservers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbc.JdbcLockProvider;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * An uncontended acquire and release on a database, beside the raw pair of statements through a
 * pool of the same kind, and ShedLock.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class JdbcBench {

  /** The database, with its settings as they come: every commit on the disk. */
  @Param({"postgresql", "mariadb", "sqlite"})
  public String database = "";

  private @Nullable AutoCloseable server;
  private @Nullable HikariDataSource pool;
  private @Nullable Pawl pawl;
  private @Nullable DistributedLock lock;
  private @Nullable LockProvider shedLock;

  /** Starts the server and everybody who is measured. */
  @Setup
  public void start() throws Exception {
    String url =
        switch (database) {
          case "postgresql" -> {
            PostgresServer postgres = PostgresServer.start();
            server = postgres;
            yield postgres.url();
          }
          case "mariadb" -> {
            MariaDbServer mariaDb = MariaDbServer.start();
            server = mariaDb;
            yield mariaDb.url();
          }
          default -> {
            Path directory = Files.createTempDirectory("pawl-bench");
            yield "jdbc:sqlite:"
                + directory.resolve("locks.db")
                + "?journal_mode=WAL&synchronous=NORMAL&busy_timeout=3000";
          }
        };
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(database.equals("sqlite") ? 1 : 8);
    pool = new HikariDataSource(config);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE raw_lock (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64), until_us BIGINT)");
      statement.execute(
          "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3) NULL,"
              + " locked_at TIMESTAMP(3) NULL, locked_by VARCHAR(255))");
    }
    pawl = Pawl.connect(url);
    lock = pawl.lock("bench");
    shedLock = new JdbcLockProvider(pool);
  }

  /** Stops them. */
  @TearDown
  public void stop() throws Exception {
    if (pawl != null) {
      pawl.close();
    }
    if (pool != null) {
      pool.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Pawl, by its public API. */
  @Benchmark
  public long pawl() throws InterruptedException {
    try (var lease = present(lock).acquire()) {
      return lease.token();
    }
  }

  /** A row inserted, and deleted. */
  @Benchmark
  public int raw() throws SQLException {
    return run("INSERT INTO raw_lock (name, owner, until_us) VALUES ('bench', ?, 1)")
        + run("DELETE FROM raw_lock WHERE name = 'bench' AND owner = ?");
  }

  private int run(String sql) throws SQLException {
    try (Connection connection = present(pool).getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, "node/1");
      return statement.executeUpdate();
    }
  }

  /** ShedLock, which does not wait and gives no token. */
  @Benchmark
  public boolean shedLock() {
    var held =
        present(shedLock)
            .lock(
                new LockConfiguration(
                    Instant.now(), "bench", Duration.ofSeconds(10), Duration.ZERO));
    held.ifPresent(each -> each.unlock());
    return held.isPresent();
  }

  private static <T> T present(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("not started");
    }
    return value;
  }
}
