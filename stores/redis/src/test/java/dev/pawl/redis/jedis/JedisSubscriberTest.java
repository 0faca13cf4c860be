package dev.pawl.redis.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.ListeningCluster;
import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.feed.Messages;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.RespClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** What happens while the connection for messages is on its way. */
class JedisSubscriberTest {

  /** The connections of a client that has decided to subscribe, and has not sent it yet. */
  private static final class Hesitant extends PooledConnectionProvider {
    private final CountDownLatch decided = new CountDownLatch(1);
    private final CountDownLatch send = new CountDownLatch(1);

    Hesitant(RedisServer server) {
      super(new HostAndPort("127.0.0.1", server.port()), JedisPoolTest.PATIENT);
    }

    @Override
    public Connection getConnection() {
      decided.countDown();
      try {
        send.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return super.getConnection();
    }
  }

  private static RedisClient client(RedisServer server) {
    return RedisClient.builder()
        .hostAndPort(new HostAndPort("127.0.0.1", server.port()))
        .clientConfig(JedisPoolTest.PATIENT)
        .build();
  }

  private static Messages messages(RedisServer server, UnifiedJedis client) {
    return new Messages(
        server.url(), JedisSubscriber.link(JedisConnections.of(client), server.url()));
  }

  private static long listeners(RedisServer server) {
    return server.call("CLIENT", "LIST", "TYPE", "pubsub").toString().lines().count();
  }

  @Test
  void whoSubscribesMeanwhileIsHeardToo() throws Exception {
    try (RedisServer server = RedisServer.start();
        Hesitant connections = new Hesitant(server)) {
      Messages messages =
          new Messages(server.url(), JedisSubscriber.link(connections, server.url()));
      RedisPort.Subscription first = messages.subscribe(List.of("a"), m -> {}, () -> {});
      connections.decided.await();
      CompletableFuture<String> heard = new CompletableFuture<>();
      RedisPort.Subscription second = messages.subscribe(List.of("b"), heard::complete, () -> {});
      connections.send.countDown();

      first.confirmed().get(60, TimeUnit.SECONDS);
      second.confirmed().get(60, TimeUnit.SECONDS);
      assertThat(server.call("PUBLISH", "b", "hello")).isEqualTo(1L);
      assertThat(heard.get(60, TimeUnit.SECONDS)).isEqualTo("hello");
      messages.close();
      ListeningCluster.until(() -> listeners(server) == 0);
    }
  }

  @Test
  void nothingIsLeftOfOneThatIsClosedMeanwhile() throws Exception {
    try (RedisServer server = RedisServer.start();
        Hesitant connections = new Hesitant(server)) {
      Messages messages =
          new Messages(server.url(), JedisSubscriber.link(connections, server.url()));
      RedisPort.Subscription subscribing = messages.subscribe(List.of("a"), m -> {}, () -> {});
      connections.decided.await();
      messages.close();
      connections.send.countDown();

      ListeningCluster.until(() -> server.count("subscribe") > 0 && listeners(server) == 0);
      assertThat(subscribing.confirmed())
          .as("nobody was told that he is subscribed")
          .isCompletedExceptionally();
    }
  }

  /** What is written to it last is answered late: to whoever has the connection by then. */
  @Test
  void aConnectionThatIsClosedWhileSomebodySubscribesAnswersNobodyElse() throws Exception {
    try (RedisServer server = RedisServer.start();
        UnifiedJedis client = client(server)) {
      client.set("key", "value");
      for (int round = 0; round < 300; round++) {
        Messages messages = messages(server, client);
        messages.subscribe(List.of("a"), m -> {}, () -> {}).confirmed().get(60, TimeUnit.SECONDS);
        CompletableFuture<Void> subscribing =
            CompletableFuture.runAsync(() -> subscribe(messages, "b", "c"));
        messages.close();
        for (int i = 0; i < 10; i++) {
          assertThat(client.get("key")).isEqualTo("value");
        }
        subscribing.join();
      }
    }
  }

  /** A heartbeat is refused while somebody's script runs for long, on a connection that listens. */
  @Test
  void aConnectionThatIsAnsweredWithAnErrorIsNobodyElses() throws Exception {
    try (RedisServer server = RedisServer.start("--lua-time-limit", "1");
        RedisClient client = client(server)) {
      client.set("key", "value");
      CompletableFuture<Void> closed = new CompletableFuture<>();
      MessageLink.Connection listening =
          JedisSubscriber.link(JedisConnections.of(client), server.url())
              .open("a", new Closing(closed))
              .toCompletableFuture()
              .get(60, TimeUnit.SECONDS);
      CompletableFuture<Object> script =
          CompletableFuture.supplyAsync(() -> server.call("EVAL", "while true do end", "0"));
      try (RespClient asking = new RespClient(server.port())) {
        ListeningCluster.until(() -> isBusy(asking));
        assertThat(listening.subscribe("a").toCompletableFuture())
            .failsWithin(60, TimeUnit.SECONDS)
            .withThrowableThat()
            .withMessageContaining("BUSY");
        asking.call("SCRIPT", "KILL");
      }
      closed.get(60, TimeUnit.SECONDS);
      assertThat(script).failsWithin(60, TimeUnit.SECONDS);

      assertThat(client.get("key")).isEqualTo("value");
      ListeningCluster.until(() -> listeners(server) == 0);
    }
  }

  private static boolean isBusy(RespClient asking) {
    try {
      return asking.call("PING") == null;
    } catch (RuntimeException e) {
      return e.getMessage().contains("BUSY");
    }
  }

  private record Closing(CompletableFuture<Void> closed) implements MessageLink.Listener {
    @Override
    public void onMessage(String channel, String message) {}

    @Override
    public void onUnsubscribed(String channel) {}

    @Override
    public void onClosed() {
      closed.complete(null);
    }
  }

  /** Its thread reads, and nothing comes: it is the socket that has to be closed. */
  @Test
  void aSilentConnectionIsGivenUpWithItsThread() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        RedisClient client =
            RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", proxy.port()))
                .clientConfig(JedisPoolTest.PATIENT)
                .build()) {
      CompletableFuture<Void> closed = new CompletableFuture<>();
      MessageLink.Connection listening =
          JedisSubscriber.link(JedisConnections.of(client), server.url())
              .open("a", new Closing(closed))
              .toCompletableFuture()
              .get(60, TimeUnit.SECONDS);
      proxy.stall();
      listening.close();
      closed.get(60, TimeUnit.SECONDS);
      ListeningCluster.until(() -> client.getPool().getNumActive() == 0);
    }
  }

  private static void subscribe(Messages messages, String... channels) {
    try {
      messages.subscribe(List.of(channels), m -> {}, () -> {}).ending().run();
    } catch (StoreUnavailableException e) {
      assertThat(e).hasMessageContaining("closed"); // It came too late.
    }
  }
}
