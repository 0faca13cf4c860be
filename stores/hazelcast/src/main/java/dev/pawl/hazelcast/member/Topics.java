package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.topic.ITopic;
import dev.pawl.spi.Signal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics by which nodes are told: the member that makes a turn publishes each signal on the
 * topic of its node.
 *
 * <p>There is a fixed number of them, since Hazelcast keeps every topic that was ever named: nodes
 * share them, and leave alone what is for another.
 */
public final class Topics {

  private static final Logger LOG = LoggerFactory.getLogger(Topics.class);

  /** Among fewer nodes than this, most have a topic of their own. */
  private static final int TOPICS = 64;

  private Topics() {}

  /** Returns the topic of a node. */
  public static ITopic<byte[]> of(HazelcastInstance instance, String prefix, String node) {
    return instance.getTopic(prefix + ".node." + Math.floorMod(node.hashCode(), TOPICS));
  }

  static void publish(HazelcastInstance member, String prefix, Signal signal) {
    try {
      of(member, prefix, signal.recipient().orElseThrow().node()).publish(Wire.signal(signal));
    } catch (RuntimeException e) {
      // A hint: its node asks before its claim window ends (I8).
      LOG.debug("a signal was not sent: {}", signal, e);
    }
  }
}
