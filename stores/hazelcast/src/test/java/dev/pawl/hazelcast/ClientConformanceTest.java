package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.spi.LockStore;
import dev.pawl.testservers.HazelcastCluster;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Three members in processes of their own, and clients such as a URL opens. */
class ClientConformanceTest extends HazelcastConformance {

  private static final AtomicInteger OPENED = new AtomicInteger();
  private static HazelcastCluster cluster;
  private static List<HazelcastInstance> clients;

  @BeforeAll
  static void start() {
    cluster = HazelcastCluster.start(3, Clusters.protectedBy(2));
    HazelcastUrl url = HazelcastUrl.parse(cluster.url());
    clients =
        List.of(
            HazelcastClients.connect(url, Clusters.PATIENT),
            HazelcastClients.connect(url, Clusters.PATIENT));
  }

  @AfterAll
  static void stop() {
    clients.forEach(HazelcastInstance::shutdown);
    cluster.close();
  }

  @Override
  protected LockStore open() {
    return HazelcastStore.of(clients.get(OPENED.getAndIncrement() % 2), Clusters.PATIENT);
  }

  @Override
  HazelcastInstance instance() {
    return clients.get(0);
  }
}
