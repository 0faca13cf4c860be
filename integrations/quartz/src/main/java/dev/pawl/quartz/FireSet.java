package dev.pawl.quartz;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The fires of a node by their id, and the wait until there are none. */
final class FireSet {

  private final Map<String, Fire> all = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition oneLess = lock.newCondition();

  void add(Fire fire) {
    all.put(fire.id(), fire);
  }

  @Nullable Fire find(String id) {
    return all.get(id);
  }

  Collection<Fire> all() {
    return all.values();
  }

  /** Returns those of the same trigger that do not run yet, and still may. */
  List<Fire> waitingLike(Fire fire) {
    return all.values().stream()
        .filter(other -> other.isLike(fire))
        .filter(other -> !other.stage.isStarted() && !other.stage.isWithdrawn())
        .toList();
  }

  /** Removes a fire, and then does what is left to do for it, once. */
  void remove(Fire fire, Runnable last) {
    if (all.remove(fire.id()) == null) {
      return;
    }
    last.run();
    lock.lock();
    try {
      oneLess.signalAll();
    } finally {
      lock.unlock();
    }
  }

  int size() {
    return all.size();
  }

  /** Waits until there are none; false if there still are after that time. */
  boolean awaitNone(Duration wait) {
    long left = wait.toNanos();
    lock.lock();
    try {
      while (!all.isEmpty() && left > 0) {
        left = oneLess.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return all.isEmpty();
  }
}
