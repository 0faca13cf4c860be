package dev.pawl.bench.crowd;

import dev.pawl.jdbc.JdbcStore;
import dev.pawl.redis.RedisStore;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Who takes part, on which server, and in what. */
enum Entrant {
  PAWL_LETTUCE("Pawl, Lettuce", "redis"),
  PAWL_JEDIS("Pawl, Jedis", "redis"),
  REDISSON("Redisson", "redis"),
  TOKENS("raw `BLPOP`", "redis"),
  PAWL_POSTGRESQL("Pawl, PostgreSQL", "postgresql"),
  ADVISORY("raw advisory lock", "postgresql");

  final String label;
  final String server;

  Entrant(String label, String server) {
    this.label = label;
    this.server = server;
  }

  /** Tells whether it is measured there: a token has no lease to lose, and no readers. */
  boolean takesPartIn(Situation situation) {
    return switch (this) {
      case PAWL_JEDIS -> situation.isSemaphore() || situation == Situation.THREADS;
      case TOKENS -> situation.isSemaphore() || situation.isWaitingNodes();
      case ADVISORY -> situation.isSemaphore(); // Nodes that wait have a connection each.
      default -> true;
    };
  }

  boolean isPawl() {
    return name().startsWith("PAWL");
  }

  /** Opens it in this process. */
  Library open(String address, int nodes) {
    return switch (this) {
      case PAWL_LETTUCE -> new PawlLibrary(RedisStore.open(address), nodes);
      case PAWL_JEDIS -> new PawlLibrary(RedisStore.open(address + "?client=jedis"), nodes);
      case REDISSON -> new RedissonLibrary(address, nodes);
      case TOKENS -> new TokenLibrary(address);
      case PAWL_POSTGRESQL -> new PawlLibrary(JdbcStore.open(address), nodes);
      case ADVISORY -> new AdvisoryLibrary(address);
    };
  }

  static Set<Entrant> on(String server) {
    EnumSet<Entrant> found = EnumSet.allOf(Entrant.class);
    found.removeIf(each -> !each.server.equals(server));
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "nothing is measured on \""
              + server
              + "\"; there are "
              + Arrays.stream(values()).map(each -> each.server).distinct().toList());
    }
    return found;
  }
}
