package dev.pawl.bench.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.pawl.bench.contest.Competitor;
import dev.pawl.bench.peer.ShedLocks;
import java.util.Optional;
import net.javacrumbs.shedlock.provider.hazelcast4.HazelcastLockProvider;

/** What Hazelcast has itself: the locks of a map's keys, which are owned by the thread. */
final class MapLocks implements Competitor {

  private final HazelcastInstance client;
  private final IMap<String, String> map;

  MapLocks(String address) {
    client = connect(address);
    map = client.getMap("locks");
  }

  static Competitor shedLock(String address) {
    HazelcastInstance client = connect(address);
    return new ShedLocks(new HazelcastLockProvider(client), client::shutdown);
  }

  /** Connects a client at its defaults. */
  private static HazelcastInstance connect(String address) {
    ClientConfig config = new ClientConfig();
    int at = address.indexOf('@');
    config.setClusterName(address.substring("hazelcast://".length(), at));
    config.getNetworkConfig().addAddress(address.substring(at + 1).split(",", -1));
    config.setProperty("hazelcast.logging.type", "slf4j");
    return HazelcastClient.newHazelcastClient(config);
  }

  @Override
  public Hold acquire(String name) {
    map.lock(name);
    return () -> map.unlock(name);
  }

  @Override
  public Optional<Hold> tryAcquire(String name) {
    return map.tryLock(name) ? Optional.of(() -> map.unlock(name)) : Optional.empty();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
