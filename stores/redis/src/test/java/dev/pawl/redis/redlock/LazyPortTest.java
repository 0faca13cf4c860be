package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.ForwardingPort;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** I10: subscriptions that a server refuses, and that are given up meanwhile. */
class LazyPortTest {

  /** A port that refuses the first subscription. */
  private static final class RefusingPort extends ForwardingPort {
    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch unsubscribed = new CountDownLatch(1);
    private Runnable meanwhile = () -> {};

    RefusingPort(RedisServer server) {
      super(LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofSeconds(2)));
    }

    @Override
    public Runnable subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
      if (asked.incrementAndGet() == 1) {
        throw RedisErrors.notSent(describe(), new IllegalStateException("not now"));
      }
      meanwhile.run();
      return unsubscribed::countDown;
    }
  }

  @Test
  void oneThatWasEndedIsNotTriedAgain() throws Exception {
    try (RedisServer server = RedisServer.start();
        RefusingPort refusing = new RefusingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> refusing);
      port.open();
      port.subscribe("a", message -> {}, () -> {}).run();
      awaitNextTry();
      assertThat(refusing.asked).hasValue(1);
    }
  }

  @Test
  void oneOfAPortThatWasClosedIsNotTriedAgain() throws Exception {
    try (RedisServer server = RedisServer.start();
        RefusingPort refusing = new RefusingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> refusing);
      port.open();
      var unused = port.subscribe("a", message -> {}, () -> {});
      port.close();
      awaitNextTry();
      assertThat(refusing.asked).hasValue(1);
    }
  }

  /** What is due a second after it was refused, is due before this. */
  private static void awaitNextTry() throws Exception {
    CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(1_500, TimeUnit.MILLISECONDS))
        .get(60, TimeUnit.SECONDS);
  }

  @Test
  void oneThatIsEndedWhileItIsMadeIsEnded() throws Exception {
    try (RedisServer server = RedisServer.start();
        RefusingPort refusing = new RefusingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> refusing);
      port.open();
      Runnable end = port.subscribe("a", message -> {}, () -> {});
      refusing.meanwhile = end;
      assertThat(refusing.unsubscribed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }
}
