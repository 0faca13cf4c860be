package dev.pawl.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.ForwardingPort;
import dev.pawl.redis.ListeningCluster;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.store.Scripts;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** I10: subscriptions at a server that may be down, and that are given up meanwhile. */
class LazyPortTest {

  /** A port that counts its subscriptions. */
  private static final class RecordingPort extends ForwardingPort {
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private Runnable meanwhile = () -> {};

    RecordingPort(RedisServer server) {
      super(LettucePorts.open(RedisUrl.parse(server.url()), Duration.ofSeconds(2)));
    }

    @Override
    public Subscription subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
      made.incrementAndGet();
      meanwhile.run();
      return new Subscription(CompletableFuture.completedFuture(null), ended::incrementAndGet);
    }
  }

  @Test
  void oneIsMadeWhenTheServerIsThere() {
    try (RedisServer server = RedisServer.start();
        RecordingPort counting = new RecordingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> counting);
      var subscription = port.subscribe("a", message -> {}, () -> {});
      assertThat(counting.made).hasValue(0);
      port.open();
      assertThat(counting.made).hasValue(1);
      subscription.end();
      assertThat(counting.ended).hasValue(1);
    }
  }

  @Test
  void oneThatWasEndedBeforeIsNotMade() {
    try (RedisServer server = RedisServer.start();
        RecordingPort counting = new RecordingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> counting);
      port.subscribe("a", message -> {}, () -> {}).end();
      port.open();
      assertThat(counting.made).hasValue(0);
    }
  }

  @Test
  void oneOfAPortThatIsClosedIsEnded() {
    try (RedisServer server = RedisServer.start();
        RecordingPort counting = new RecordingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> counting);
      port.open();
      var unused = port.subscribe("a", message -> {}, () -> {});
      port.close();
      assertThat(counting.ended).hasValue(1);
    }
  }

  @Test
  void oneThatIsEndedWhileItIsMadeIsEnded() {
    try (RedisServer server = RedisServer.start();
        RecordingPort counting = new RecordingPort(server)) {
      LazyPort port = new LazyPort(server.url(), () -> counting);
      var subscription = port.subscribe("a", message -> {}, () -> {});
      counting.meanwhile = subscription::end;
      port.open();
      assertThat(counting.made).hasValue(1);
      assertThat(counting.ended).hasValue(1);
    }
  }

  @Test
  void nobodyWaitsForOneThatIsBeingOpened() throws Exception {
    try (RedisServer server = RedisServer.start();
        RecordingPort counting = new RecordingPort(server)) {
      CountDownLatch answered = new CountDownLatch(1);
      LazyPort port =
          new LazyPort(
              server.url(),
              () -> {
                await(answered);
                return counting;
              });
      CompletableFuture<Void> opening = CompletableFuture.runAsync(port::open, LazyPort::onThread);
      CompletableFuture.runAsync(() -> port.subscribe("a", message -> {}, () -> {}))
          .get(60, TimeUnit.SECONDS);
      CompletableFuture.runAsync(port::close).get(60, TimeUnit.SECONDS);
      answered.countDown();
      opening.get(60, TimeUnit.SECONDS);

      assertThat(counting.made).hasValue(0);
      assertThat(port.isOpen()).isFalse();
      assertThat(counting.eval(Scripts.NOW, List.of("a"), List.of()))
          .as("one that came too late is closed")
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .withMessageContaining("is closed");
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void oneForWhichThereIsNoThreadIsOpenedLater() {
    try (RedisServer server = RedisServer.start();
        RecordingPort counting = new RecordingPort(server)) {
      AtomicInteger tries = new AtomicInteger();
      LazyPort port =
          new LazyPort(
              server.url(),
              () -> {
                if (tries.incrementAndGet() == 1) {
                  throw new OutOfMemoryError("unable to create native thread");
                }
                return counting;
              });
      port.open();
      ListeningCluster.until(port::isOpen);
      port.close();
    }
  }
}
