package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.pawl.hazelcast.member.Stored;
import dev.pawl.machine.LockState;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.StoreConformance;

/** The conformance suite on real members; what is left is looked up in their map. */
abstract class HazelcastConformance extends StoreConformance {

  /** An instance that sees the map. */
  abstract HazelcastInstance instance();

  @Override
  protected long leftovers(LockStore store, String prefix) {
    IMap<String, byte[]> locks = instance().getMap(HazelcastOptions.DEFAULT.locks());
    return locks.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .filter(name -> isLeft(locks.get(name)))
        .count();
  }

  /** A claim that ended with its acquire under way is remembered for a minute, on purpose (I5). */
  private static boolean isLeft(byte[] value) {
    if (value == null) {
      return false;
    }
    LockState state = Stored.decode(value).state();
    return state.ended().isEmpty() || !state.holders().isEmpty() || !state.queue().isEmpty();
  }
}
