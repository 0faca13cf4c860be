package dev.pawl.console.watch;

import dev.pawl.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * A name that somebody holds or waits for.
 *
 * @param holders in the order of their grants
 * @param waiters the next one first
 */
public record LockRow(String name, List<Held> holders, List<Waiting> waiters) {

  /** Copies the lists. */
  public LockRow {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /**
   * One who holds it.
   *
   * @param node the random id of its node
   * @param expires when the lease ends unless it is renewed, by the store's clock
   * @param lease how long the lease is; no store tells it, and the most that was seen of it is near
   */
  public record Held(
      String claim,
      String node,
      String label,
      Caller caller,
      boolean exclusive,
      int permits,
      long token,
      Instant since,
      Instant expires,
      Duration lease) {}

  /** One who waits for it. */
  public record Waiting(
      String claim,
      String node,
      String label,
      Caller caller,
      boolean exclusive,
      int permits,
      Instant since) {

    static Waiting of(LockInfo.Waiter waiter) {
      return new Waiting(
          waiter.claim(),
          nodeOf(waiter.claim()),
          waiter.label(),
          Caller.parse(waiter.actor()),
          waiter.exclusive(),
          waiter.permits(),
          waiter.since());
    }
  }

  /** Tells whether a name, or who holds it or waits for it, has the text in it. */
  boolean matches(String lowerCase) {
    return has(name, lowerCase)
        || holders.stream().anyMatch(each -> has(each.label(), lowerCase))
        || waiters.stream().anyMatch(each -> has(each.label(), lowerCase));
  }

  private static boolean has(String text, String lowerCase) {
    return text.toLowerCase(Locale.ROOT).contains(lowerCase);
  }

  static String nodeOf(String claim) {
    int slash = claim.indexOf('/');
    return slash < 0 ? claim : claim.substring(0, slash);
  }
}
