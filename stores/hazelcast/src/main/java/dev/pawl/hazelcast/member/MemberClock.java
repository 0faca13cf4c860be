package dev.pawl.hazelcast.member;

import com.hazelcast.core.HazelcastInstance;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The clock of one member, by which the names that it owns are judged; in microseconds since 1970.
 *
 * <p>It starts at the cluster's time, which Hazelcast takes from the oldest member and keeps when
 * that one goes, and runs by the monotonic clock of the member's process. It follows the cluster's
 * time by half a percent at the most, which the margin of every lease covers (I2): a wall clock
 * that is set, forward or back, moves no lease. It never goes back.
 *
 * <p>The clocks of two members differ: by what a heartbeat takes, or by as much as a wall clock was
 * set before one of them joined. A name carries the time of its last turn with it and whose time
 * that is: when another member becomes its owner, time does not go back for it, and no lease ends
 * by the difference ({@link Stored#asOf}). For a name that was forgotten, the time of the last turn
 * that was copied here stands in (I3).
 */
public final class MemberClock {

  /** Where a member keeps its clock. */
  private static final String KEY = "dev.pawl.hazelcast.clock";

  private static final long COMPARE_MICROS = 1_000_000;
  private static final long SLOWEST_CORRECTION = 200;

  private final long id = new SecureRandom().nextLong();
  private final LongSupplier clusterMicros;
  private final LongSupplier nanoTime;
  private volatile Reading base;
  private final AtomicLong highest = new AtomicLong();
  private final AtomicLong copied = new AtomicLong();

  MemberClock(LongSupplier clusterMicros, LongSupplier nanoTime) {
    this.clusterMicros = clusterMicros;
    this.nanoTime = nanoTime;
    this.base = new Reading(clusterMicros.getAsLong(), nanoTime.getAsLong());
  }

  private record Reading(long micros, long nanos) {}

  /** Returns the clock of a member. */
  static MemberClock of(HazelcastInstance member) {
    Object clock = member.getUserContext().get(KEY);
    if (clock == null) {
      clock =
          member
              .getUserContext()
              .computeIfAbsent(
                  KEY,
                  key ->
                      new MemberClock(
                          () -> member.getCluster().getClusterTime() * 1_000, System::nanoTime));
    }
    return (MemberClock) clock;
  }

  /** Gives a member another clock, in tests. */
  static void set(HazelcastInstance member, MemberClock clock) {
    member.getUserContext().put(KEY, clock);
  }

  /** Returns by what an entry says that its times are of this clock, and of no other. */
  long id() {
    return id;
  }

  /** Returns what the clock shows. */
  long micros() {
    Reading from = base;
    long nanos = nanoTime.getAsLong();
    long elapsed = (nanos - from.nanos) / 1_000;
    long now = from.micros + elapsed;
    if (elapsed >= COMPARE_MICROS) {
      long most = elapsed / SLOWEST_CORRECTION;
      long error = clusterMicros.getAsLong() - now;
      now += Math.max(-most, Math.min(most, error));
      // Two threads that do this at once have read nearly the same.
      base = new Reading(now, nanos);
    }
    return highest.accumulateAndGet(now, Math::max);
  }

  /** Returns the time of a turn for a name whose last turn was at that time. */
  long microsAfter(long lastMicros) {
    return Math.max(micros(), lastMicros);
  }

  /** Returns the time of a turn for a name that is not known. */
  long microsOfUnknown() {
    return microsAfter(copied.get());
  }

  /** Notes the time of a turn that another member made, and of which this one keeps the copy. */
  void copied(long micros) {
    copied.accumulateAndGet(micros, Math::max);
  }
}
