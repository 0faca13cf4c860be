package dev.pawl.redis;

import dev.pawl.machine.LockState;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.redis.store.Scripts;
import dev.pawl.redis.store.StoredState;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.StoreConformance;
import dev.pawl.testservers.RedisServer;
import java.util.List;

/** The conformance suite on real servers; what is left is looked up in their keys. */
abstract class RedisConformance extends StoreConformance {

  /** The servers that have keys. */
  abstract List<RedisServer> servers();

  @Override
  protected long leftovers(LockStore store, String prefix) {
    return servers().stream().mapToLong(server -> leftovers(server, prefix)).sum();
  }

  /** Counts what a server still has of names that nobody uses any more. */
  static long leftovers(RedisServer server, String prefix) {
    return Answers.list(server.call("KEYS", "pawl:{*")).stream()
        .map(Answers::text)
        .filter(key -> RedisKeys.name(key).startsWith(prefix))
        .filter(key -> isLeft(server, key))
        .count();
  }

  /** A claim that ended with its acquire under way is remembered for a minute, on purpose (I5). */
  private static boolean isLeft(RedisServer server, String key) {
    Object answer = server.call("EVAL", Scripts.STANDARD.find().text(), "1", key);
    LockState state = StoredState.state(Answers.list(answer).get(1));
    return state != null
        && (state.ended().isEmpty() || !state.holders().isEmpty() || !state.queue().isEmpty());
  }
}
