package dev.pawl.console.access;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Slows down who tries passwords: after three attempts that did not succeed, each further one has
 * to wait twice as long as the one before it, up to a minute; for each user and each address.
 */
final class Attempts {

  private static final int FREE = 3;
  private static final long FIRST_WAIT_MILLIS = 1_000;
  private static final long LONGEST_WAIT_MILLIS = 60_000;
  private static final long FORGET_MILLIS = Duration.ofMinutes(15).toMillis();

  /** More than are tried at a time; who invents names fills it with those, and not the memory. */
  private static final int MOST_KEPT = 10_000;

  private final LongSupplier millis;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Tried> tried = new LinkedHashMap<>();

  private record Tried(int times, long lastMillis) {

    long waitUntil() {
      long wait = times < FREE ? 0 : FIRST_WAIT_MILLIS << Math.min(times - FREE, 10);
      return lastMillis + Math.min(wait, LONGEST_WAIT_MILLIS);
    }
  }

  Attempts() {
    this(() -> System.nanoTime() / 1_000_000);
  }

  Attempts(LongSupplier millis) {
    this.millis = millis;
  }

  /** Counts an attempt, which has failed until it has succeeded; or says how long to wait. */
  Optional<Duration> begin(String name, String address) {
    lock.lock();
    try {
      long now = millis.getAsLong();
      long until = now;
      for (String key : keys(name, address)) {
        Tried known = tried.get(key);
        if (known != null && now - known.lastMillis() < FORGET_MILLIS) {
          until = Math.max(until, known.waitUntil());
        }
      }
      if (until > now) {
        return Optional.of(Duration.ofMillis(until - now));
      }
      for (String key : keys(name, address)) {
        Tried known = tried.remove(key);
        int times = known == null || now - known.lastMillis() >= FORGET_MILLIS ? 0 : known.times();
        tried.put(key, new Tried(times + 1, now));
      }
      Iterator<String> oldest = tried.keySet().iterator();
      while (tried.size() > MOST_KEPT) {
        oldest.next();
        oldest.remove();
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  void succeeded(String name, String address) {
    lock.lock();
    try {
      for (String key : keys(name, address)) {
        tried.remove(key);
      }
    } finally {
      lock.unlock();
    }
  }

  private static String[] keys(String name, String address) {
    return new String[] {"user " + name, "address " + address};
  }
}
