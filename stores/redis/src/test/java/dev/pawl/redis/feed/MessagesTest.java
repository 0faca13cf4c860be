package dev.pawl.redis.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.ListeningCluster;
import dev.pawl.redis.port.RedisErrors;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is heard over connections that a test opens. */
class MessagesTest {

  @Test
  void aConnectionForWhichThereWasNoThreadIsOpenedLater() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    AtomicReference<MessageLink.Listener> wire = new AtomicReference<>();
    Messages messages =
        new Messages(
            "server",
            new OneServer(
                "server",
                (channel, listener) -> {
                  if (tries.incrementAndGet() == 2) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  wire.set(listener);
                  return CompletableFuture.completedFuture(new Quiet());
                }));
    AtomicInteger missed = new AtomicInteger();
    messages
        .subscribe(List.of("a"), message -> {}, missed::incrementAndGet)
        .confirmed()
        .get(60, TimeUnit.SECONDS);

    wire.get().onClosed();

    ListeningCluster.until(() -> missed.get() > 0);
    assertThat(tries).hasValue(3);
    messages.close();
  }

  /** As while its password is another one for a moment; a minute is more than this waits. */
  @Test
  void aServerThatWasHeardAndRefusesIsTriedAgainSoon() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    AtomicReference<MessageLink.Listener> wire = new AtomicReference<>();
    Messages messages =
        new Messages(
            "server",
            new OneServer(
                "server",
                (channel, listener) -> {
                  wire.set(listener);
                  return tries.incrementAndGet() == 2
                      ? CompletableFuture.failedFuture(
                          RedisErrors.answered("server", "WRONGPASS", new Exception()))
                      : CompletableFuture.completedFuture(new Quiet());
                }));
    AtomicInteger missed = new AtomicInteger();
    messages
        .subscribe(List.of("a"), message -> {}, missed::incrementAndGet)
        .confirmed()
        .get(60, TimeUnit.SECONDS);

    wire.get().onClosed();

    ListeningCluster.until(() -> missed.get() > 0);
    assertThat(tries).hasValue(3);
    messages.close();
  }

  /** A connection that answers, and on which nothing is heard. */
  private static final class Quiet implements MessageLink.Connection {
    @Override
    public CompletionStage<Void> subscribe(String channel) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void unsubscribe(String channel) {}

    @Override
    public void close() {}
  }
}
