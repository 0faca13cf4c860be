package dev.pawl.bench.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The page "From Redisson": {@code getRedLock} and {@code redlock://}, on three servers. */
class FromRedissonRedLockTest {

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedissonClient> clients = new ArrayList<>();
  private Pawl pawl;
  private Pawl other;

  @BeforeEach
  void start() {
    for (int i = 0; i < 3; i++) {
      RedisServer server = RedisServer.start();
      servers.add(server);
      clients.add(client(server));
    }
    String hosts =
        servers.stream().map(each -> "127.0.0.1:" + each.port()).collect(Collectors.joining(","));
    pawl = Pawl.connect("redlock://" + hosts + "?serverTimeout=5s");
    other = Pawl.connect("redlock://" + hosts + "?serverTimeout=5s");
  }

  private static RedissonClient client(RedisServer server) {
    Config config = new Config();
    config
        .useSingleServer()
        .setAddress(server.url())
        .setConnectionMinimumIdleSize(1)
        .setTimeout(3_000)
        .setRetryAttempts(0);
    return Redisson.create(config);
  }

  @AfterEach
  void stop() {
    pawl.close();
    other.close();
    clients.forEach(RedissonClient::shutdown);
    servers.forEach(RedisServer::close);
  }

  @SuppressWarnings("deprecation") // As the page says.
  private RLock theirs() {
    return clients
        .get(0)
        .getRedLock(clients.stream().map(each -> each.getLock("x")).toArray(RLock[]::new));
  }

  @Test
  void mostOfTheServersDecideInBoth() throws Exception {
    servers.get(2).kill();
    assertThat(theirs().tryLock(30, 60, TimeUnit.SECONDS)).as("two of three are enough").isTrue();
    theirs().unlock();
    try (Lease lease = pawl.lock("x").acquire()) {
      assertThat(lease.isHeld()).isTrue();
      assertThat(other.lock("x").tryAcquire()).isEmpty();
    }

    servers.get(1).kill();
    assertThat(theirs().tryLock(1, 60, TimeUnit.SECONDS)).as("an outage is false there").isFalse();
    assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
        .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
  }
}
