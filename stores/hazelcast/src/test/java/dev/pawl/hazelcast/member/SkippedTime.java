package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Time that members in the process of the test skip, all of them alike. */
public final class SkippedTime {

  private final AtomicLong nanos = new AtomicLong();

  /** Has a member go by a clock that skips. */
  public void appliesTo(HazelcastInstance member) {
    MemberClock.set(
        member,
        new MemberClock(
            () -> member.getCluster().getClusterTime() * 1_000 + nanos.get() / 1_000,
            () -> System.nanoTime() + nanos.get()));
  }

  /** Skips ahead. */
  public void skip(Duration duration) {
    nanos.addAndGet(duration.toNanos());
  }
}
