package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.hazelcast.member.SkippedTime;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Stores over the members themselves, as in an application that embeds Hazelcast. */
class MemberConformanceTest extends HazelcastConformance {

  private static final AtomicInteger OPENED = new AtomicInteger();
  private static final Duration POLL = Duration.ofMillis(50);
  private static final SkippedTime TIME = new SkippedTime();
  private static Embedded cluster;

  @BeforeAll
  static void start() {
    cluster = new Embedded(2, 2);
    TIME.appliesTo(cluster.member(0));
    TIME.appliesTo(cluster.member(1));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected LockStore open() {
    return HazelcastStore.of(cluster.member(OPENED.getAndIncrement() % 2), Clusters.PATIENT);
  }

  /** What polls waits, as the members' sweep does; what lets a lease end need not. */
  @Override
  protected void pass(Duration duration) throws InterruptedException {
    if (duration.compareTo(POLL) <= 0) {
      super.pass(duration);
    } else {
      TIME.skip(duration);
    }
  }

  @Override
  HazelcastInstance instance() {
    return cluster.member(0);
  }
}
