package dev.pawl.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image needs of Pawl: its services, and what annotations call by name. */
final class PawlHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints.resources().registerPattern("META-INF/services/dev.pawl.*");
    for (String service :
        new String[] {
          "dev.pawl.engine.NodeFactory",
          "dev.pawl.memory.MemoryStoreProvider",
          "dev.pawl.jdbc.JdbcStoreProvider",
          "dev.pawl.redis.RedisStoreProvider",
          "dev.pawl.redis.RedlockStoreProvider",
          "dev.pawl.zookeeper.ZooKeeperStoreProvider",
          "dev.pawl.hazelcast.HazelcastStoreProvider"
        }) {
      hints
          .reflection()
          .registerTypeIfPresent(classLoader, service, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
    }
    hints.reflection().registerType(TypeReference.of(Locked.class));
    hints.reflection().registerType(TypeReference.of(OncePerTick.class));
    hints.resources().registerPattern("dev/pawl/redis/store/*.lua");
  }
}
