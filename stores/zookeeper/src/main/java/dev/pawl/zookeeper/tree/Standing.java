package dev.pawl.zookeeper.tree;

import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a name and who waits, by the line of its places.
 *
 * <p>A place holds if the permits of those ahead and its own do not exceed its capacity, and all
 * ahead hold. So the holders are the head of the line, and stay so: places are added at the end
 * alone, and whoever leaves makes room. An old list shows more ahead of a place than there are,
 * never fewer; who holds by it holds. Those aside hold nothing and stop nobody.
 *
 * @param holders who holds it, the first first
 * @param waiters who waits, the next first
 */
public record Standing(List<Place> holders, List<Place> waiters) {

  /**
   * Judges a line.
   *
   * @param lowered the permits of those who gave some up, by their segment
   * @param reached the mark of the name: who waits for it is not there any more
   */
  public static Standing of(List<Place> line, Map<String, Integer> lowered, OptionalLong reached) {
    List<Place> holders = new ArrayList<>();
    List<Place> waiters = new ArrayList<>();
    long held = 0;
    boolean open = true;
    for (Place place : line) {
      if (place.isReached(reached)) {
        continue;
      }
      int permits = lowered.getOrDefault(place.segment(), place.permits());
      if (place.kind() == Place.Kind.ASIDE) {
        waiters.add(place);
      } else if (open && held + permits <= place.capacity()) {
        holders.add(place);
        held += permits;
      } else {
        open = false;
        waiters.add(place);
      }
    }
    return new Standing(holders, waiters);
  }

  /** Tells whether a place holds the name. */
  public boolean holds(Place place) {
    return holders.contains(place);
  }

  /** Returns how many wait ahead of a place; all of them if it is not there. */
  public int ahead(Place place) {
    int index = waiters.indexOf(place);
    return index < 0 ? waiters.size() : index;
  }

  /** Tells whether a claim that came now would be granted at once. */
  public boolean admits(Place place, Map<String, Integer> lowered) {
    long held = 0;
    for (Place holder : holders) {
      held += lowered.getOrDefault(holder.segment(), holder.permits());
    }
    return waiters.stream().allMatch(waiter -> waiter.kind() == Place.Kind.ASIDE)
        && held + place.permits() <= place.capacity();
  }

  /**
   * Returns the place that one who waits is waiting for; null if it is any of the holders.
   *
   * <p>A writer waits for the one just ahead: all have to go, and that one goes last or wakes it to
   * look for the next. A reader waits for the last writer ahead, as all readers behind that one do.
   * Permits of a semaphore may come from anybody, so the first who waits for them has no such
   * place; the others wait for the one ahead to be granted or to go.
   */
  public @Nullable Place awaited(Place place, Map<String, Integer> lowered) {
    if (place.kind() == Place.Kind.ASIDE) {
      return null;
    }
    Place previous = null;
    Place writer = null;
    for (Place holder : holders) {
      previous = holder;
      if (holder.isExclusive() && !lowered.containsKey(holder.segment())) {
        writer = holder;
      }
    }
    Place waiting = null;
    for (Place waiter : waiters) {
      if (waiter.equals(place)) {
        break;
      }
      if (waiter.kind() != Place.Kind.ASIDE) {
        waiting = waiter;
        writer = waiter.isExclusive() ? waiter : writer;
      }
    }
    if (place.isExclusive()) {
      return waiting != null ? waiting : previous;
    }
    return place.capacity() == Command.EVERYTHING && writer != null ? writer : waiting;
  }

  /**
   * Tells whether those who wait behind a new holder have to be told of its grant, since they wait
   * for that and not for its end.
   */
  public boolean isAwaitedBySome(Place holder) {
    return !holder.isExclusive()
        && waiters.stream()
            .anyMatch(
                waiter ->
                    !waiter.isExclusive()
                        && waiter.kind() != Place.Kind.ASIDE
                        && (waiter.capacity() < Command.EVERYTHING
                            || holder.capacity() < Command.EVERYTHING));
  }
}
