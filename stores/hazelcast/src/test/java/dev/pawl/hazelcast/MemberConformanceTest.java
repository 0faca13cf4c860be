package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.spi.LockStore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Stores over the members themselves, as in an application that embeds Hazelcast. */
class MemberConformanceTest extends HazelcastConformance {

  private static final AtomicInteger OPENED = new AtomicInteger();
  private static Embedded cluster;

  @BeforeAll
  static void start() {
    cluster = new Embedded(2, 2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected LockStore open() {
    return HazelcastStore.of(cluster.member(OPENED.getAndIncrement() % 2), Clusters.PATIENT);
  }

  @Override
  HazelcastInstance instance() {
    return cluster.member(0);
  }
}
