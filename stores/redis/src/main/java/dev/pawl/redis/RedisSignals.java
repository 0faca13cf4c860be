package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.util.function.Consumer;

/** How waiters wake: a channel for each node, and one subscription to it (I9). */
final class RedisSignals {

  private final RedisPort port;
  private final RedisKeys keys;

  RedisSignals(RedisPort port, RedisKeys keys) {
    this.port = port;
    this.keys = keys;
  }

  LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
    Runnable end =
        port.subscribe(
            keys.channel(node),
            message -> listener.accept(RedisProtocol.signal(message)),
            () -> listener.accept(new Signal.Missed()));
    return end::run;
  }
}
