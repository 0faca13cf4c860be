package dev.pawl.engine;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Simulated time: a queue of events, taken one after the other on one thread. Same seed, same
 * history.
 */
public final class World {

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now = 1_000_000_000_000L;
  private long order;
  private String violation = "";

  public World(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** True time in nanoseconds, which nobody in the world can see. */
  public long now() {
    return now;
  }

  public void in(long delayNanos, Runnable action) {
    events.add(new Event(now + Math.max(0, delayNanos), order++, action));
  }

  /** Takes the next event; false if there is none before the end. */
  public boolean step(long end) {
    Event next = events.peek();
    if (next == null || next.at > end) {
      return false;
    }
    events.poll();
    now = next.at;
    next.action.run();
    if (!violation.isEmpty()) {
      throw new AssertionError(violation);
    }
    return true;
  }

  /** Notes the first violation; an exception would be caught by whoever called back. */
  void violated(String what) {
    if (violation.isEmpty()) {
      violation = what;
    }
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  public long between(long low, long high) {
    return low + random.nextLong(high - low + 1);
  }
}
