package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Finding;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server whose memory is full, by whomever: it refuses what is new, and what is held can be
 * renewed, released and passed on.
 */
class FullMemoryTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final LockOptions LEASE = LockOptions.DEFAULT.withLease(Duration.ofSeconds(20));

  static Stream<String> servers() {
    return Stream.concat(Stream.of(RedisBinary.bundled()), RedisBinary.installed().stream());
  }

  private static void fill(RedisServer server) {
    server.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
    server.call("CONFIG", "SET", "maxmemory", "1");
  }

  private static Pawl node(RedisServer server) {
    return Pawl.builder(server.url() + "?timeout=20s").responseTimeout(LONG).build();
  }

  private static void awaitWaiters(Pawl node, String name, int count) {
    long end = System.nanoTime() + LONG.toNanos();
    while (node.inspector().find(name).orElseThrow().waiters().size() != count) {
      assertThat(System.nanoTime() - end).as("%s wait", count).isNegative();
      LockSupport.parkNanos(20_000_000);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void whatIsHeldIsRenewedAndPassedOnAndWhatIsNewIsRefused(String binary) throws Exception {
    // A waiter that is silent for two seconds loses its place, and a full server gives it no other.
    Measurement.whereNothingStalls(() -> renewAndPassOn(binary));
  }

  private static void renewAndPassOn(String binary) throws Exception {
    try (RedisServer server = RedisServer.startWith(binary);
        Pawl a = node(server);
        Pawl b = node(server);
        Pawl late = Pawl.connect(server.url() + "?timeout=20s")) {
      Lease alone = a.lock("alone", LEASE).acquire();
      Lease first = a.lock("wanted", LEASE).acquire();
      CompletableFuture<Lease> second = b.lock("wanted", LEASE).acquireAsync(LONG);
      awaitWaiters(a, "wanted", 1);

      fill(server);

      assertThatThrownBy(() -> late.lock("new").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("OOM (its memory is full)");
      alone.confirm();
      first.confirm();
      first.close();
      assertThat(second).succeedsWithin(LONG);
      Lease passedOn = second.join();
      assertThat(passedOn.token()).isGreaterThan(first.token());
      assertThatCode(passedOn::confirm).doesNotThrowAnyException();
      passedOn.close();
      alone.close();
      assertThat(b.inspector().list("", 10)).allMatch(lock -> lock.holders().isEmpty());
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aWaiterThatGivesUpLeavesNothingAndARunEnds(String binary) throws Exception {
    try (RedisServer server = RedisServer.startWith(binary);
        Pawl a = node(server);
        Pawl b = node(server)) {
      Lease held = a.lock("held", LEASE).acquire();
      CompletableFuture<Lease> waiting = b.lock("held", LEASE).acquireAsync(LONG);
      awaitWaiters(a, "held", 1);
      Job.Outcome<Boolean> outcome =
          a.job("sms", LEASE)
              .run(
                  Instant.parse("2026-01-01T00:00:00Z"),
                  run -> {
                    fill(server);
                    return waiting.cancel(false);
                  });

      assertThat(outcome).isInstanceOf(Job.Outcome.Ran.class);
      awaitWaiters(a, "held", 0);
      held.close();
    }
  }

  @Test
  void redlockReleasesOnServersThatAreFull() throws Exception {
    List<RedisServer> servers = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        servers.add(RedisServer.start());
      }
      String hosts =
          servers.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","));
      String url = "redlock://" + hosts + "?serverTimeout=10s&restartDelay=0s";
      LockOptions options = LockOptions.DEFAULT.withFair(false).withLease(LONG);
      try (Pawl a = Pawl.builder(url).responseTimeout(LONG).build();
          Pawl b = Pawl.builder(url).responseTimeout(LONG).build()) {
        Lease lease = a.lock("a", options).acquire();
        servers.forEach(FullMemoryTest::fill);
        lease.confirm();
        lease.close();
        servers.forEach(each -> each.call("CONFIG", "SET", "maxmemory", "0"));
        assertThat(b.lock("a", options).tryAcquire()).isPresent();
      }
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void doctorSaysThatItIsFull() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?timeout=20s")) {
      fill(server);
      assertThat(store.examine().toCompletableFuture().get(60, TimeUnit.SECONDS))
          .filteredOn(finding -> finding.what().contains("memory is full"))
          .singleElement()
          .matches(finding -> finding.level() == Finding.Level.WARNING)
          .matches(finding -> finding.remedy().contains("maxmemory"));
    }
  }
}
