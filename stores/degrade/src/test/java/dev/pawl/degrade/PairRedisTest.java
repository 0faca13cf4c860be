package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.RedisServer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Redis as the primary that dies, and a database in a file as the backup. */
@Timeout(120)
class PairRedisTest {

  private static final Instant TICK = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private RedisServer redis;
  private String pair;

  @BeforeEach
  void start() {
    redis = RedisServer.start(); // Without persistence.
    pair =
        redis.url()
            + " | "
            + backup()
            // A Redis, or a node, that a busy machine holds up for less is not dead.
            + " | mode-lease=5s&dead-after=3s&return-after=500ms";
  }

  private String backup() {
    return "jdbc:sqlite:" + directory.resolve("backup.db");
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private static Lease acquire(Pawl pawl, String name) throws InterruptedException {
    while (true) {
      try {
        return pawl.lock(name).acquire();
      } catch (StoreUnavailableException | OutcomeUnknownException e) {
        LockSupport.parkNanos(50_000_000);
      }
    }
  }

  private static void awaitMode(Pawl pawl, String mode) {
    while (!pawl.store().mode().orElse("").equals(mode)) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  @Tag("safety")
  void aPrimaryThatIsBackWithoutItsDataIsReturnedToAndNothingIsLostOrRunTwice() throws Exception {
    try (Pawl pawl = Pawl.connect(pair)) {
      long first = acquire(pawl, "x").token();
      assertThat(pawl.job("sms").run(TICK, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      redis.kill();
      awaitMode(pawl, "backup");
      Lease held = acquire(pawl, "x");
      assertThat(held.token()).isGreaterThan(first);
      assertThat(pawl.job("sms").run(TICK, run -> {})).isInstanceOf(Job.Outcome.AlreadyDone.class);

      redis.startAgain();
      awaitMode(pawl, "primary");
      held.confirm();
      assertThat(pawl.lock("x").tryAcquire()).isEmpty();
      assertThat(pawl.job("sms").run(TICK, run -> {})).isInstanceOf(Job.Outcome.AlreadyDone.class);
      held.close();
      try (Lease next = acquire(pawl, "x")) {
        assertThat(next.token()).isGreaterThan(held.token());
      }
    }
  }

  @Test
  void aNodeStartsThoughThePrimaryIsDown() throws Exception {
    long token;
    try (Pawl pawl = Pawl.connect(pair)) {
      token = acquire(pawl, "x").token();
    }
    redis.kill();
    try (Pawl pawl = Pawl.connect(pair)) {
      awaitMode(pawl, "backup");
      try (Lease lease = acquire(pawl, "x")) {
        assertThat(lease.token()).isGreaterThan(token);
        redis.startAgain();
        awaitMode(pawl, "primary");
        lease.confirm();
        assertThat(lease.isHeld()).isTrue();
      }
    }
  }

  @Test
  void aPairThatWasNeverUsedNeedsBothStoresOnce() {
    redis.kill();
    assertThatThrownBy(() -> Pawl.connect(pair))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("start it once with both stores there");
  }

  /** The process that is stopped: takes the lock, and says whether it has it when it is asked. */
  public static void main(String[] args) throws Exception {
    try (Pawl pawl = Pawl.connect(args[0]);
        BufferedReader asked =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      Lease lease = pawl.lock("x", LockOptions.DEFAULT.withLease(Duration.ofMinutes(5))).acquire();
      System.out.println(lease.token());
      while (asked.readLine() != null) {
        System.out.println(lease.isHeld());
      }
    }
  }

  @Test
  @Tag("safety")
  void aNodeThatWasStoppedKnowsThatItHoldsNothingWhenItGoesOn() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                PairRedisTest.class.getName(),
                pair)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (Pawl pawl = Pawl.connect(pair);
        BufferedReader said =
            new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        BufferedWriter ask =
            new BufferedWriter(
                new OutputStreamWriter(child.getOutputStream(), StandardCharsets.UTF_8))) {
      long token = Long.parseLong(said.readLine());
      signal("STOP", child);
      while (!isBackupWritable()) { // It was stopped in a transaction, which would last.
        signal("CONT", child);
        LockSupport.parkNanos(50_000_000);
        signal("STOP", child);
      }
      redis.kill();
      try (Lease lease = acquire(pawl, "x")) {
        assertThat(lease.token()).isGreaterThan(token);
        signal("CONT", child);
        ask.write("?\n");
        ask.flush();
        assertThat(said.readLine()).isEqualTo("false");
        assertThat(lease.isHeld()).isTrue();
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
  }

  private boolean isBackupWritable() {
    try (Connection connection = DriverManager.getConnection(backup() + "?busy_timeout=1000");
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      statement.execute("ROLLBACK");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static void signal(String name, Process process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor())
        .isZero();
  }
}
