package dev.pawl.redis.store;

import dev.pawl.redis.port.FirstConnection;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * How waiters wake: a channel for each node, and one subscription to it (I9). In a cluster the node
 * has a channel for each tag as well, of which only the servers of its slot hear.
 */
public final class RedisSignals {

  private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(5);

  private final RedisPort port;
  private final RedisKeys keys;
  private final Duration timeout;

  /** Signals by a port, whose commands are answered within a timeout. */
  public RedisSignals(RedisPort port, RedisKeys keys, Duration commandTimeout) {
    this.port = port;
    this.keys = keys;
    this.timeout = commandTimeout;
  }

  /** Subscribes, and waits until the server has confirmed it. */
  public LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
    Consumer<String> onMessage = message -> listener.accept(RedisProtocol.signal(message));
    Runnable onMissed = () -> listener.accept(new Signal.Missed());
    RedisPort.Subscription own =
        new FirstConnection(timeout)
            .open(() -> confirmed(port.subscribe(keys.channel(node), onMessage, onMissed)));
    RedisPort.Subscription sharded =
        port.subscribeSharded(keys.shardChannels(node), onMessage, onMissed);
    return () -> {
      sharded.end();
      own.end();
    };
  }

  /** Waits for it, for as long as a first connection may take: it has one to itself. */
  private RedisPort.Subscription confirmed(RedisPort.Subscription own) {
    Duration first = FirstConnection.most(timeout);
    Duration most = first.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : first;
    try {
      own.confirmed().get(most.toMillis(), TimeUnit.MILLISECONDS);
      return own;
    } catch (InterruptedException e) {
      own.end();
      Thread.currentThread().interrupt();
      throw RedisErrors.notSent(
          port.describe(), new IllegalStateException("interrupted while subscribing", e));
    } catch (TimeoutException e) {
      own.end();
      throw RedisErrors.notSent(
          port.describe(),
          new TimeoutException("no subscription within " + most.toMillis() + " ms"));
    } catch (ExecutionException e) {
      own.end();
      throw e.getCause() instanceof RuntimeException typed
          ? typed
          : RedisErrors.notSent(port.describe(), e);
    }
  }
}
