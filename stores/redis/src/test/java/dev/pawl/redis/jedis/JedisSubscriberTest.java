package dev.pawl.redis.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.ListeningCluster;
import dev.pawl.redis.feed.Messages;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** What happens while the connection for messages is on its way. */
class JedisSubscriberTest {

  /** A client that has decided what to subscribe to, and has not sent it yet. */
  private static final class HesitantClient extends UnifiedJedis {
    private final CountDownLatch decided = new CountDownLatch(1);
    private final CountDownLatch send = new CountDownLatch(1);

    @SuppressWarnings("deprecation") // What is made by a builder cannot be extended.
    HesitantClient(RedisServer server) {
      super(
          new PooledConnectionProvider(
              new HostAndPort("127.0.0.1", server.port()), JedisPoolTest.PATIENT));
    }

    @Override
    public void subscribe(JedisPubSub listener, String... channels) {
      decided.countDown();
      try {
        send.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      super.subscribe(listener, channels);
    }
  }

  private static long listeners(RedisServer server) {
    return server.call("CLIENT", "LIST", "TYPE", "pubsub").toString().lines().count();
  }

  @Test
  void whoSubscribesMeanwhileIsHeardToo() throws Exception {
    try (RedisServer server = RedisServer.start();
        HesitantClient client = new HesitantClient(server)) {
      Messages messages = new Messages(server.url(), JedisSubscriber.link(client, server.url()));
      RedisPort.Subscription first = messages.subscribe(List.of("a"), m -> {}, () -> {});
      client.decided.await();
      CompletableFuture<String> heard = new CompletableFuture<>();
      RedisPort.Subscription second = messages.subscribe(List.of("b"), heard::complete, () -> {});
      client.send.countDown();

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
        HesitantClient client = new HesitantClient(server)) {
      Messages messages = new Messages(server.url(), JedisSubscriber.link(client, server.url()));
      RedisPort.Subscription subscribing = messages.subscribe(List.of("a"), m -> {}, () -> {});
      client.decided.await();
      messages.close();
      client.send.countDown();

      ListeningCluster.until(() -> server.count("unsubscribe") > 0 && listeners(server) == 0);
      assertThat(subscribing.confirmed())
          .as("nobody was told that he is subscribed")
          .isCompletedExceptionally();
    }
  }

  /** What is written to it last is answered late: to whoever has the connection by then. */
  @Test
  void aConnectionThatIsClosedWhileSomebodySubscribesAnswersNobodyElse() throws Exception {
    try (RedisServer server = RedisServer.start();
        UnifiedJedis client =
            RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", server.port()))
                .clientConfig(JedisPoolTest.PATIENT)
                .build()) {
      client.set("key", "value");
      for (int round = 0; round < 300; round++) {
        Messages messages = new Messages(server.url(), JedisSubscriber.link(client, server.url()));
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

  private static void subscribe(Messages messages, String... channels) {
    try {
      messages.subscribe(List.of(channels), m -> {}, () -> {}).ending().run();
    } catch (StoreUnavailableException e) {
      assertThat(e).hasMessageContaining("closed"); // It came too late.
    }
  }
}
