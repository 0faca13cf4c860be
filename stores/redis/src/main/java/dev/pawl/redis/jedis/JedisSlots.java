package dev.pawl.redis.jedis;

import dev.pawl.redis.port.Answers;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClusterCommandArguments;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;

/** Which master of a cluster has which slot, which Jedis knows and does not tell. */
final class JedisSlots {

  private final RedisClusterClient client;
  private volatile Map<Integer, String> masters = Map.of();

  JedisSlots(RedisClusterClient client) {
    this.client = client;
  }

  /** Returns the id of the master that had the slot when it was last asked for. */
  @Nullable String master(int slot) {
    return masters.get(slot);
  }

  /** Asks one of the masters. */
  void refresh() {
    Map<Integer, String> found = new HashMap<>();
    CommandArguments question = new ClusterCommandArguments(Protocol.Command.CLUSTER).add("SLOTS");
    for (Object range : Answers.list(client.executeCommand(question))) {
      List<?> fields = Answers.list(range);
      List<?> master = Answers.list(fields.get(2));
      String id = new String((byte[]) master.get(2), StandardCharsets.US_ASCII);
      long last = Answers.number(fields.get(1));
      for (int slot = (int) Answers.number(fields.get(0)); slot <= last; slot++) {
        found.put(slot, id);
      }
    }
    masters = found;
  }
}
