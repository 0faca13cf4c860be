package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static dev.pawl.zookeeper.ZooKeeperFaultTest.expire;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that are made again: to which servers, with which timeout, in which session. */
class ReconnectTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  /** Behind mapped ports, or with TLS, what servers tell each other of their ports is no way. */
  @Test
  void theServersOfTheUrlAreThoseToConnectTo() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start(Map.of(), "-Dzookeeper.skipACL=yes");
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
      try (Looker admin = new Looker(server.address())) {
        String ensemble = "server.1=127.0.0.1:1:2:participant;127.0.0.1:3\nversion=100000000";
        admin.children("/");
        admin.zk.setData("/zookeeper/config", ensemble.getBytes(StandardCharsets.UTF_8), -1);
      }
      try (ZooKeeperStore store =
              ZooKeeperStore.open("zk://127.0.0.1:" + proxy.port() + "?sessionTimeout=60s");
          Pawl pawl = Pawl.builder(store).responseTimeout(LONG).build()) {
        for (int round = 0; round < 3; round++) {
          pawl.lock("x").acquire(LONG).close();
          proxy.cut();
          proxy.heal();
        }
      }
    }
  }

  /** As when the servers' {@code maxSessionTimeout} is lowered, and they are restarted for it. */
  @Test
  @Tag("safety")
  void aSessionIsTrustedForAsLongAsTheServerOfTheDayAgreesTo() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        ZooKeeperStore store =
            ZooKeeperStore.open("zk://" + server.address() + "?sessionTimeout=200s")) {
      long session = store.client().getZookeeperClient().getZooKeeper().getSessionId();
      assertThat(trustMicros(store, 1)).isEqualTo(80_000_000);
      server.kill();
      server.configure(Map.of("maxSessionTimeout", "100000"));
      server.restart(true);

      assertThat(trustMicros(store, 2)).isEqualTo(40_000_000);
      assertThat(store.client().getZookeeperClient().getZooKeeper().getSessionId())
          .as("in the same session")
          .isEqualTo(session);
    }
  }

  private static long trustMicros(ZooKeeperStore store, int counter) {
    long[] trust = {0};
    eventually(
        "granted",
        () -> {
          try {
            AcquireReply reply = acquire(store, "trust-" + counter, counter);
            trust[0] = ((AcquireReply.Granted) reply).grant().trustMicros();
            return true;
          } catch (ExecutionException e) {
            return false; // It is not back yet.
          } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
          }
        });
    return trust[0];
  }

  private static AcquireReply acquire(ZooKeeperStore store, String name, int counter)
      throws ExecutionException, InterruptedException, TimeoutException {
    return store
        .acquire(
            new Command.Acquire(
                name,
                new ClaimId("node", counter),
                Command.EVERYTHING,
                Command.EVERYTHING,
                600_000_000,
                1,
                OptionalLong.empty(),
                false,
                true,
                "label",
                "actor"))
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
  }

  /** A listener of the application that makes its own nodes again, and waits for that. */
  @Test
  void aListenerThatTakesItsTimeWithTheEndOfASessionCostsTheNextOneNothing() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        CuratorFramework client = client(server.address())) {
      client.start();
      try (ZooKeeperStore store = ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT);
          Pawl pawl = Pawl.builder(store).responseTimeout(LONG).build()) {
        int listeners = 100; // Curator calls them in any order: one of them is first.
        Semaphore told = new Semaphore(0);
        for (int i = 0; i < listeners; i++) {
          client.getCuratorListenable().addListener(new Slow(i, store, told));
        }
        for (int round = 0; round < 2; round++) {
          pawl.lock("before-" + round).acquire(LONG);
          long session = client.getZookeeperClient().getZooKeeper().getSessionId();
          expire(store, server.address());
          assertThat(told.tryAcquire(listeners, 60, TimeUnit.SECONDS)).as("all told").isTrue();
          assertThat(client.getZookeeperClient().getZooKeeper().getSessionId())
              .isNotEqualTo(session);

          pawl.lock("after-" + round).acquire(LONG).close();
        }
      }
    }
  }

  /** One that takes a lock when the connection is back, and waits for it. */
  @Test
  void aListenerMayAskWhenTheConnectionIsBack() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        CuratorFramework client = client("127.0.0.1:" + proxy.port())) {
      client.start();
      try (ZooKeeperStore store = ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT)) {
        int listeners = 100; // Curator calls them in any order: one of them is first.
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        CountDownLatch asked = new CountDownLatch(listeners);
        for (int i = 0; i < listeners; i++) {
          client.getConnectionStateListenable().addListener(new Asking(i, store, failures, asked));
        }
        proxy.cut();
        proxy.heal();

        assertThat(asked.await(60, TimeUnit.SECONDS)).as("back").isTrue();
        assertThat(failures).isEmpty();
      }
    }
  }

  /** The application goes on with its session: what is left in it would be held for nobody. */
  @ParameterizedTest
  @EnumSource(ZooKeeperStrategy.class)
  void aStoreThatIsClosedWithoutAConnectionGivesUpItsClaimsWhenThereIsOne(
      ZooKeeperStrategy strategy) throws Exception {
    ZooKeeperOptions options = ZooKeeperOptions.DEFAULT.withStrategy(strategy);
    try (ZooKeeperServer server = ZooKeeperServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        CuratorFramework client = client("127.0.0.1:" + proxy.port());
        ZooKeeperStore other = ZooKeeperStore.open("zk://" + server.address(), options)) {
      client.start();
      ZooKeeperStore store = ZooKeeperStore.over(client, options);
      assertThat(acquire(store, "left", 1)).isInstanceOf(AcquireReply.Granted.class);
      long session = client.getZookeeperClient().getZooKeeper().getSessionId();
      proxy.cut();
      eventually("cut off", () -> !client.getZookeeperClient().isConnected());

      store.close();

      store.close(); // As by Pawl and by whoever opened it.
      assertThatThrownBy(() -> acquire(store, "more", 2))
          .hasCauseInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("is closed");
      assertThat(acquire(other, "left", 3)).isInstanceOf(AcquireReply.Busy.class);
      proxy.heal();
      eventually("free", () -> isGranted(other, "left"));
      assertThat(client.getZookeeperClient().getZooKeeper().getSessionId())
          .as("in a session that goes on")
          .isEqualTo(session);
    }
  }

  private static boolean isGranted(ZooKeeperStore store, String name) {
    try {
      return acquire(store, name, 3) instanceof AcquireReply.Granted;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** It stays connected for a moment, and the session ends with it: nothing may be counted on. */
  @Test
  @Tag("safety")
  void whoAsksWhileTheClientIsBeingClosedBringsNoSessionBack() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      List<Throwable> refused = new CopyOnWriteArrayList<>();
      AtomicInteger granted = new AtomicInteger();
      while (refused.isEmpty() && granted.get() == 0) { // Until we were told later than the store.
        CuratorFramework client = client(server.address());
        client.start();
        try (ZooKeeperStore store = ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT);
            Pawl pawl = Pawl.builder(store).responseTimeout(LONG).build()) {
          Lease before = pawl.lock("before").acquire(LONG);
          for (int i = 0; i < 20; i++) { // Curator calls them in any order.
            client
                .getCuratorListenable()
                .addListener(new Closing(i, store, before, granted, refused));
          }
          client.close();
        }
      }
      assertThat(granted).hasValue(0);
      assertThat(refused).hasOnlyElementsOfType(StoreUnavailableException.class);
    }
  }

  /** Takes another name when the store has heard that its session ends. */
  private record Closing(
      int number,
      ZooKeeperStore store,
      Lease before,
      AtomicInteger granted,
      List<Throwable> refused)
      implements CuratorListener {
    @Override
    public void eventReceived(CuratorFramework client, CuratorEvent event) {
      if (event.getType() == CuratorEventType.CLOSING && !before.isHeld()) {
        try {
          AcquireReply unused = acquire(store, "after-" + number, number);
          granted.incrementAndGet();
        } catch (ExecutionException e) {
          refused.add(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  private record Asking(
      int number, ZooKeeperStore store, List<Throwable> failures, CountDownLatch asked)
      implements ConnectionStateListener {
    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
      if (state == ConnectionState.RECONNECTED) {
        store
            .find("x")
            .whenComplete((info, error) -> Optional.ofNullable(error).ifPresent(failures::add))
            .toCompletableFuture()
            .handle((info, error) -> info)
            .join();
        asked.countDown();
      }
    }
  }

  private static CuratorFramework client(String address) {
    return CuratorFrameworkFactory.builder()
        .connectString(address)
        .sessionTimeoutMs(60_000)
        .retryPolicy(new RetryOneTime(100))
        .build();
  }

  /** Goes on when the store has been heard of in the next session. */
  private record Slow(int number, ZooKeeperStore store, Semaphore told) implements CuratorListener {
    @Override
    public void eventReceived(CuratorFramework client, CuratorEvent event) {
      if (event.getWatchedEvent() != null
          && event.getWatchedEvent().getState() == KeeperState.Expired) {
        eventually(
            "the store is there again",
            () -> store.find("x").toCompletableFuture().handle((x, e) -> e == null).join());
        told.release();
      }
    }
  }
}
