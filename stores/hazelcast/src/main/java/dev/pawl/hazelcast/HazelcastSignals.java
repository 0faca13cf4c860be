package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.topic.ITopic;
import dev.pawl.hazelcast.member.Topics;
import dev.pawl.hazelcast.member.Wire;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How waiters wake: a listener for each node, on the topic that its signals come by. */
final class HazelcastSignals {

  private static final Logger LOG = LoggerFactory.getLogger(HazelcastSignals.class);

  private final HazelcastInstance instance;
  private final String prefix;
  private final Map<UUID, Consumer<Signal>> listeners = new ConcurrentHashMap<>();

  HazelcastSignals(HazelcastInstance instance, String prefix) {
    this.instance = instance;
    this.prefix = prefix;
  }

  LockStore.Subscription subscribe(String node, Consumer<Signal> listener) {
    ITopic<byte[]> topic = Topics.of(instance, prefix, node);
    UUID registration =
        topic.addMessageListener(
            message -> {
              Signal signal = Wire.signal(message.getMessageObject());
              if (signal.recipient().orElseThrow().node().equals(node)) {
                listener.accept(signal);
              }
            });
    listeners.put(registration, listener);
    return () -> {
      listeners.remove(registration);
      try {
        topic.removeMessageListener(registration);
      } catch (RuntimeException e) {
        LOG.debug("the listener of node {} went with its connection", node, e);
      }
    };
  }

  /** Says that signals may have been lost, after members or connections changed. */
  void missed() {
    listeners.values().forEach(listener -> listener.accept(new Signal.Missed()));
  }
}
