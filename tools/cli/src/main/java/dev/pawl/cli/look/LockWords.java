package dev.pawl.cli.look;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is known of a lock, in the words of tables. */
final class LockWords {

  /** What stands where there is nothing to say. */
  static final String NONE = "-";

  private LockWords() {}

  /** Returns {@code held}, {@code waited for} between two holders, or {@code free}. */
  static String state(LockInfo lock) {
    if (!lock.holders().isEmpty()) {
      return "held";
    }
    return lock.waiters().isEmpty() ? "free" : "waited for";
  }

  static boolean isFree(LockInfo lock) {
    return lock.holders().isEmpty() && lock.waiters().isEmpty();
  }

  /** Returns the latest tick that is done, where the name is that of a job. */
  static Optional<Instant> tick(LockInfo lock) {
    return lock.name().startsWith(Job.PREFIX) && lock.mark().isPresent()
        ? Optional.of(Instant.ofEpochMilli(lock.mark().getAsLong()))
        : Optional.empty();
  }

  /** Returns the first of those who hold it, and how many there are besides. */
  static String holder(LockInfo lock) {
    List<LockInfo.Holder> holders = lock.holders();
    if (holders.isEmpty()) {
      return NONE;
    }
    String more = holders.size() == 1 ? "" : " +" + (holders.size() - 1);
    return holders.get(0).label() + more;
  }

  static String share(boolean exclusive, int permits) {
    return exclusive ? "exclusive" : permits == 1 ? "shared" : permits + " permits";
  }
}
