package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.PairedStore;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one, two and four nodes do when some of them do not reach the primary. */
class VotesTest {

  private static final String QUICK = " | mode-lease=6s&return-after=1s&dead-after=3s";

  /** Where nothing is to happen: a busy machine may keep a node from the primary for a second. */
  private static final String PATIENT = " | mode-lease=30s&return-after=1s&dead-after=6s";

  @TempDir private Path directory;

  private final List<FaultProxy> proxies = new ArrayList<>();
  private final List<Pawl> nodes = new ArrayList<>();
  private RedisServer redis;

  @BeforeEach
  void startRedis() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    nodes.forEach(Pawl::close);
    proxies.forEach(FaultProxy::close);
    redis.close();
  }

  private void start(int count, String options) {
    for (int i = 0; i < count; i++) {
      FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
      proxies.add(proxy);
      nodes.add(
          Pawl.builder(
                  "redis://127.0.0.1:"
                      + proxy.port()
                      + "?timeout=500ms | sqlite:"
                      + directory.resolve("locks.db")
                      + options)
              .label("node-" + i)
              .build());
    }
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("waited").isLessThan(TimeUnit.MINUTES.toNanos(1));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static boolean isIn(Pawl node, String mode) {
    return node.store().mode().equals(Optional.of(mode));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "4, 3", "4, 4"})
  void mostAreCutOffAndAllSwitch(int all, int cutOff) throws Exception {
    start(all, QUICK);
    long before;
    try (Lease lease = nodes.get(0).lock("x").acquire()) {
      before = lease.token();
    }
    proxies.subList(0, cutOff).forEach(FaultProxy::cut);
    await(() -> nodes.stream().allMatch(node -> isIn(node, "backup")));
    for (Pawl node : nodes) {
      try (Lease lease = node.lock("x").acquire(Duration.ofSeconds(30))) {
        assertThat(lease.token()).isGreaterThan(before);
        before = lease.token();
      }
    }
    proxies.forEach(FaultProxy::heal);
    await(() -> nodes.stream().allMatch(node -> isIn(node, "primary")));
    try (Lease lease = nodes.get(0).lock("x").acquire(Duration.ofSeconds(30))) {
      assertThat(lease.token()).isGreaterThan(before);
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "4, 1", "4, 2"})
  void mostAreNotCutOffAndGoOnWithoutTheRest(int all, int cutOff) throws Exception {
    start(all, PATIENT);
    proxies.subList(0, cutOff).forEach(FaultProxy::cut);
    await(() -> votesAgainst() == cutOff);
    for (Pawl refused : nodes.subList(0, cutOff)) {
      assertThatThrownBy(() -> refused.lock("x").acquire(Duration.ofSeconds(5)))
          .isInstanceOf(StoreUnavailableException.class);
    }
    for (Pawl node : nodes.subList(cutOff, all)) {
      node.lock("x").acquire(Duration.ofSeconds(30)).close();
      assertThat(isIn(node, "primary")).isTrue();
    }
    proxies.forEach(FaultProxy::heal);
    for (Pawl node : nodes) {
      await(() -> isServed(node));
    }
  }

  /** How many nodes see the primary dead. */
  private long votesAgainst() {
    PairedStore pair = (PairedStore) nodes.get(0).store();
    return pair.status().toCompletableFuture().join().nodes().stream()
        .filter(node -> !node.reaches())
        .count();
  }

  private static boolean isServed(Pawl node) {
    try (Lease lease = node.lock("x").acquire(Duration.ofSeconds(10))) {
      return lease.isHeld();
    } catch (StoreUnavailableException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
