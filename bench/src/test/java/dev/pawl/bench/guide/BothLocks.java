package dev.pawl.bench.guide;

import dev.pawl.DistributedLock;
import dev.pawl.Pawl;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class BothLocks {

  /** Does the work under both locks, the old one outside. */
  static <T> T underBoth(Lock old, DistributedLock lock, Callable<T> work) throws Exception {
    old.lock();
    try {
      lock.lock();
      try {
        return work.call();
      } finally {
        lock.unlock();
      }
    } finally {
      old.unlock();
    }
  }

  /** The same, for as long as the caller has time: who is refused gives back what it has. */
  static boolean tryBoth(Lock old, DistributedLock lock, long millis, Runnable work)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    if (!old.tryLock(millis, TimeUnit.MILLISECONDS)) {
      return false;
    }
    try {
      if (!lock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return false;
      }
      try {
        work.run();
        return true;
      } finally {
        lock.unlock();
      }
    } finally {
      old.unlock();
    }
  }

  public static void main(String[] args) throws Exception {
    try (Pawl pawl = Pawl.connect("memory:")) { // Yours: redis://…
      Lock old = new ReentrantLock(); // Yours: redisson.getLock("invoice-run")
      DistributedLock lock = pawl.lock("invoice-run");
      String done = underBoth(old, lock, () -> "settled with token " + lock.token());
      boolean again = tryBoth(old, lock, 500, () -> System.out.println("and once more"));
      System.out.println(done + ", " + again);
    }
  }
}
