package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairedStore;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The lines of the guide's table of failures that neither the processes under load nor {@link
 * VotesTest} show: each on a Redis and a database of its own, in one server.
 */
@Tag("safety")
class FailuresTest {

  /** A primary is taken for dead after the default time: a busy one must not be. */
  private static final String OPTIONS = "&return-after=1s";

  private static PostgresServer postgres;
  private static int databases;

  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<Pawl> nodes = new ArrayList<>();
  private RedisServer redis;
  private String database;

  @BeforeAll
  static void startPostgres() {
    postgres = PostgresServer.start();
  }

  @AfterAll
  static void stopPostgres() {
    postgres.close();
  }

  @BeforeEach
  void start() throws Exception {
    redis = RedisServer.start();
    database = "pair" + ++databases;
    sql("postgres", "CREATE DATABASE " + database);
  }

  @AfterEach
  void stop() {
    proxies.forEach(FaultProxy::heal);
    nodes.forEach(Pawl::close);
    proxies.forEach(FaultProxy::close);
    redis.close();
  }

  private static String url(int port, String name) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + name + "?user=postgres";
  }

  private static void sql(String name, String statement) throws Exception {
    try (Connection connection = DriverManager.getConnection(url(postgres.port(), name));
        Statement statements = connection.createStatement()) {
      statements.execute(statement);
    }
  }

  /** A node with a way of its own to both stores. */
  private Pawl node(String modeLease, FaultProxy toPrimary, FaultProxy toBackup) {
    Pawl node =
        Pawl.builder(
                "redis://127.0.0.1:"
                    + toPrimary.port()
                    + "?timeout=500ms | "
                    + url(toBackup.port(), database)
                    + "&pawl.timeout=1s | mode-lease="
                    + modeLease
                    + OPTIONS)
            .label("node-" + nodes.size())
            .build();
    nodes.add(node);
    return node;
  }

  private FaultProxy toRedis() {
    return proxy(redis.port());
  }

  private FaultProxy toPostgres() {
    return proxy(postgres.port());
  }

  private FaultProxy proxy(int port) {
    FaultProxy proxy = FaultProxy.to("127.0.0.1", port);
    proxies.add(proxy);
    return proxy;
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("waited").isLessThan(TimeUnit.MINUTES.toNanos(2));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static void awaitMode(Pawl node, String mode) {
    await(() -> node.store().mode().equals(Optional.of(mode)));
  }

  /** The status, from a backup that may take longer than its second when the machine is busy. */
  private static PairStatus status(Pawl node) {
    for (int i = 0; ; i++) {
      try {
        return ((PairedStore) node.store()).status().toCompletableFuture().join();
      } catch (CompletionException e) {
        if (i == 20) {
          throw e;
        }
      }
    }
  }

  private static void move(Pawl node, Mode mode) {
    ((PairedStore) node.store())
        .move(status(node), mode, "test", "a test")
        .toCompletableFuture()
        .join();
  }

  /** Takes a name when that is possible again; returns its token. */
  private static long take(Pawl node, String name) throws InterruptedException {
    try (Lease lease = hold(node, name, LockOptions.DEFAULT)) {
      return lease.token();
    } catch (LeaseLostException | StoreUnavailableException | OutcomeUnknownException e) {
      return take(node, name);
    }
  }

  /** Takes a name, and keeps it; a busy machine may be without its mode lease for a moment. */
  private static Lease hold(Pawl node, String name, LockOptions options)
      throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < TimeUnit.MINUTES.toNanos(2)) {
      try {
        return node.lock(name, options).acquire(Duration.ofSeconds(60));
      } catch (StoreUnavailableException | OutcomeUnknownException e) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
    throw new AssertionError("not taken in " + node.store().mode());
  }

  @Test
  void thePrimaryAndANodeDieTogether() throws Exception {
    FaultProxy primaryOfB = toRedis();
    FaultProxy backupOfB = toPostgres();
    Pawl a = node("4s", toRedis(), toPostgres());
    Pawl b = node("4s", primaryOfB, backupOfB);
    long before = take(a, "x");
    Lease held = hold(b, "held", LockOptions.DEFAULT);
    primaryOfB.stall();
    backupOfB.stall();
    redis.kill();
    assertThat(take(a, "held")).as("after a mode lease").isGreaterThan(held.token());
    assertThat(held.isHeld()).isFalse();
    assertThat(take(a, "x")).isGreaterThan(before);
    assertThat(status(a).nodes()).hasSize(1);
  }

  @Test
  void thePrimaryIsBackWhileItIsLeft() throws Exception {
    Pawl a = node("60s", toRedis(), toPostgres());
    Pawl b = node("60s", toRedis(), toPostgres());
    Pawl c = node("60s", toRedis(), toPostgres());
    // For longer than it takes to see that the primary is dead: not its end is what is told.
    Lease held = hold(a, "held", LockOptions.DEFAULT.withLease(Duration.ofSeconds(20)));
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    held.onLost(
        () -> {
          told.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    redis.pause();
    told.await();
    assertThat(status(b).mode()).as("while what runs at the loss runs").isEqualTo(Mode.LEAVING);
    redis.resume();
    awaitMode(b, "primary");
    awaitMode(c, "primary");
    long token = Math.max(take(b, "x"), take(c, "x"));
    goOn.countDown();
    awaitMode(a, "primary");
    assertThat(take(a, "held")).isGreaterThan(held.token());
    assertThat(take(a, "x")).isGreaterThan(token);
  }

  @Test
  void thePrimaryDiesWhileTheLocksReturn() throws Exception {
    FaultProxy primaryOfB = toRedis();
    Pawl a = node("60s", toRedis(), toPostgres());
    Pawl b = node("60s", primaryOfB, toPostgres());
    move(a, Mode.BACKUP);
    awaitMode(a, "backup");
    awaitMode(b, "backup");
    try (Lease ofA = a.lock("a").acquire();
        Lease ofB = b.lock("b").acquire()) {
      primaryOfB.stall(); // So that its lease cannot move, and the return does not end.
      move(a, Mode.PRIMARY);
      awaitMode(a, "returning");
      await(() -> status(a).unmoved().equals(List.of("b")));
      assertThat(status(a).nodes()).anyMatch(node -> !node.moved());
      redis.kill();
      awaitMode(a, "backup");
      awaitMode(b, "backup");
      ofA.confirm();
      ofB.confirm();
      assertThat(take(a, "x")).isPositive();
    }
  }

  @Test
  void theBackupIsAwayForLessThanAModeLease() throws Exception {
    FaultProxy toBackup = toPostgres();
    Pawl node = node("60s", toRedis(), toBackup);
    Instant tick = Instant.parse("2026-01-01T00:00:00Z");
    try (Lease lease = node.lock("held").acquire()) {
      assertThat(node.job("sms").run(tick, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      toBackup.cut();
      node.lock("x").acquire().close();
      node.lock("x").acquire().close();
      assertThatThrownBy(() -> node.job("sms").run(tick.plusSeconds(60), run -> {}))
          .isInstanceOf(PawlException.class);
      lease.confirm();
      toBackup.heal();
      await(() -> ran(node, tick.plusSeconds(120)));
    }
  }

  private static boolean ran(Pawl node, Instant tick) {
    try {
      return node.job("sms").run(tick, run -> {}) instanceof Job.Outcome.Ran<?>;
    } catch (PawlException e) {
      return false;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theBackupIsAwayForLongerThanAModeLease() throws Exception {
    FaultProxy toBackup = toPostgres();
    Pawl node = node("4s", toRedis(), toBackup);
    Lease lease = hold(node, "held", LockOptions.DEFAULT);
    toBackup.cut();
    await(() -> !lease.isHeld());
    awaitRefusal(node);
    assertThatThrownBy(() -> node.lock("x").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("the pair's backup has not answered for a mode lease");
    assertThatThrownBy(() -> node.inspector().find("x"))
        .as("nobody is told that all is well")
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(node.store().mode()).as("the primary is well").contains("primary");
    toBackup.heal();
    assertThat(take(node, "held")).isGreaterThan(lease.token());
    assertThat(node.store().mode()).as("nothing has moved").contains("primary");
  }

  /** What is asked for in the last moment of the mode lease may go without an answer. */
  private static void awaitRefusal(Pawl node) {
    await(
        () ->
            !(catchThrowable(() -> node.lock("x").tryAcquire())
                instanceof OutcomeUnknownException));
  }

  @Test
  void bothAreAway() throws Exception {
    FaultProxy toBackup = toPostgres();
    Pawl node = node("4s", toRedis(), toBackup);
    Lease lease = hold(node, "held", LockOptions.DEFAULT);
    toBackup.cut();
    redis.kill();
    assertThatThrownBy(() -> node.lock("x").acquire(Duration.ofSeconds(2)))
        .isInstanceOf(PawlException.class);
    await(() -> !lease.isHeld());
    awaitRefusal(node);
    assertThatThrownBy(() -> node.lock("x").tryAcquire())
        .isInstanceOf(StoreUnavailableException.class);
    redis.startAgain();
    toBackup.heal();
    assertThat(take(node, "held")).isGreaterThan(lease.token());
  }

  @Test
  void theBackupHasLostItsRecord() throws Exception {
    Pawl node = node("4s", toRedis(), toPostgres());
    move(node, Mode.BACKUP);
    awaitMode(node, "backup");
    Lease lease = hold(node, "held", LockOptions.DEFAULT);
    sql(database, "DELETE FROM pawl_register");
    await(() -> !lease.isHeld());
    assertThatThrownBy(() -> node.lock("x").tryAcquire()).isInstanceOf(PawlException.class);
    assertThatThrownBy(() -> node.lock("held").tryAcquire()).isInstanceOf(PawlException.class);
  }
}
