package dev.pawl.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.util.Clock;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** The wall clock of a member's process as Hazelcast reads it, which can be set from outside. */
public final class SteppedClock extends Clock.ClockImpl {

  /** The property of a member that has Hazelcast use this class. */
  static final String PROPERTY = "com.hazelcast.clock.impl";

  private static final AtomicLong STEPPED_MILLIS = new AtomicLong();

  /** For Hazelcast. */
  public SteppedClock() {}

  @Override
  protected long currentTimeMillis() {
    return System.currentTimeMillis() + STEPPED_MILLIS.get();
  }

  /**
   * Sets the clock of every member forward, or back. A member whose clock jumps may take its
   * connections for silent and close them before it has answered: then it is told again.
   */
  static void step(HazelcastInstance client, Duration by) throws InterruptedException {
    Step step = new Step(STEPPED_MILLIS.addAndGet(by.toMillis()));
    Waiting.until(
        "the clock of every member is set",
        () -> {
          for (Future<Long> each :
              client.getExecutorService("test").submitToAllMembers(step).values()) {
            var unused = each.get();
          }
          return true;
        });
  }

  private record Step(long toMillis) implements Callable<Long>, Serializable {
    @Override
    public Long call() {
      return STEPPED_MILLIS.getAndSet(toMillis);
    }
  }
}
