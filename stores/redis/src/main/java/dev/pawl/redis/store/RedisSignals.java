package dev.pawl.redis.store;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.util.function.Consumer;

/**
 * How waiters wake: a channel for each node, and one subscription to it (I9). In a cluster the node
 * has a channel for each tag as well, of which only the servers of its slot hear.
 */
public final class RedisSignals {

  private final RedisPort port;
  private final RedisKeys keys;

  public RedisSignals(RedisPort port, RedisKeys keys) {
    this.port = port;
    this.keys = keys;
  }

  public LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
    Consumer<String> onMessage = message -> listener.accept(RedisProtocol.signal(message));
    Runnable onMissed = () -> listener.accept(new Signal.Missed());
    Runnable end = port.subscribe(keys.channel(node), onMessage, onMissed);
    Runnable endSharded = port.subscribeSharded(keys.shardChannels(node), onMessage, onMissed);
    return () -> {
      endSharded.run();
      end.run();
    };
  }
}
