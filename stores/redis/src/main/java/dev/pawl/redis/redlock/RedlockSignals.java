package dev.pawl.redis.redlock;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.redis.store.RedisProtocol;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How waiters wake in Redlock: every server sends the same message, and the node is told when a
 * quorum of them has come, since it can get nothing from fewer.
 */
public final class RedlockSignals {

  /** How long the rest of one message's copies is waited for. */
  private static final long TOGETHER_MICROS = TimeUnit.MILLISECONDS.toMicros(200);

  private static final Logger LOG = LoggerFactory.getLogger(RedlockSignals.class);
  private static final Duration CONFIRMATION = Duration.ofSeconds(2);

  private final List<? extends RedisPort> ports;
  private final RedisKeys keys;
  private final LongSupplier clockMicros;

  public RedlockSignals(List<? extends RedisPort> ports, RedisKeys keys, LongSupplier clockMicros) {
    this.ports = ports;
    this.keys = keys;
    this.clockMicros = clockMicros;
  }

  public LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
    Counter counter = new Counter(listener);
    List<RedisPort.Subscription> subscriptions =
        ports.stream()
            .map(
                port ->
                    port.subscribe(
                        keys.channel(node),
                        counter::onMessage,
                        () -> listener.accept(new Signal.Missed())))
            .toList();
    awaitWhoAnswers(subscriptions);
    return () -> subscriptions.forEach(RedisPort.Subscription::end);
  }

  /** Those who are down are subscribed to when they are back. */
  private static void awaitWhoAnswers(List<RedisPort.Subscription> subscriptions) {
    try {
      CompletableFuture.allOf(
              subscriptions.stream()
                  .map(each -> each.confirmed().handle((done, error) -> 0))
                  .toArray(CompletableFuture[]::new))
          .get(CONFIRMATION.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("not all servers have confirmed the subscription", e);
    }
  }

  /** Counts the copies of messages. */
  final class Counter {
    private final ReentrantLock lock = new ReentrantLock();

    /** The messages of which copies may still come, the oldest first. */
    private final Map<String, Count> counts = new LinkedHashMap<>();

    private final Consumer<Signal> listener;

    Counter(Consumer<Signal> listener) {
      this.listener = listener;
    }

    void onMessage(String message) {
      boolean tell = false;
      lock.lock();
      try {
        long now = clockMicros.getAsLong();
        forgetBefore(now - TOGETHER_MICROS);
        Count count = counts.computeIfAbsent(message, key -> new Count(now));
        count.heard++;
        tell = count.heard == ports.size() / 2 + 1;
        if (count.heard == ports.size()) {
          counts.remove(message);
        }
      } finally {
        lock.unlock();
      }
      if (tell) {
        listener.accept(RedisProtocol.signal(message));
      }
    }

    /** A server that is down never completes a message. */
    private void forgetBefore(long micros) {
      Iterator<Count> oldest = counts.values().iterator();
      while (oldest.hasNext() && oldest.next().sinceMicros < micros) {
        oldest.remove();
      }
    }

    int size() {
      lock.lock();
      try {
        return counts.size();
      } finally {
        lock.unlock();
      }
    }
  }

  private static final class Count {
    private final long sinceMicros;
    private int heard;

    Count(long sinceMicros) {
      this.sinceMicros = sinceMicros;
    }
  }
}
