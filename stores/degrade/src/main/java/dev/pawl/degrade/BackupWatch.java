package dev.pawl.degrade;

import dev.pawl.spi.Finding;
import java.time.Duration;
import java.util.Optional;

/**
 * For how long the backup has not answered: people are warned once when that is half of a mode
 * lease, since locking stops at its end. Guarded by the lock of the pair.
 */
final class BackupWatch {

  /** A node that was stopped has not asked: so many looks without an answer it takes. */
  private static final int ENOUGH_LOOKS = 3;

  private final String backup;
  private final long leaseNanos;
  private long answeredNanos;
  private boolean answered;
  private int looks;
  private boolean warned;

  BackupWatch(String backup, long leaseNanos) {
    this.backup = backup;
    this.leaseNanos = leaseNanos;
  }

  /** The backup has answered; returns what to say of it. */
  Optional<String> onAnswer(long now) {
    Optional<String> back =
        warned
            ? Optional.of(
                backup + ": the backup of the pair answers again, after " + seconds(now) + " s")
            : Optional.empty();
    warned = false;
    answered = true;
    answeredNanos = now;
    looks = 0;
    return back;
  }

  /** Looks whether it is away; returns what to warn of. */
  Optional<String> look(long now) {
    looks++;
    if (warned || !isAway(now)) {
      return Optional.empty();
    }
    warned = true;
    return Optional.of(
        backup
            + ": the backup of the pair has not answered for "
            + seconds(now)
            + " s; after a mode lease of "
            + leaseNanos / 1_000_000_000L
            + " s nothing is locked any more, although the primary is well: look at the backup");
  }

  private long seconds(long now) {
    return (now - answeredNanos) / 1_000_000_000L;
  }

  /** Tells whether it has not answered for longer than half of a mode lease. */
  boolean isAway(long now) {
    return answered && looks >= ENOUGH_LOOKS && now - answeredNanos >= leaseNanos / 2;
  }

  /** Returns what a person should know of it. */
  Optional<Finding> finding(long now) {
    return isAway(now)
        ? Optional.of(
            PairFindings.away(Duration.ofNanos(now - answeredNanos), Duration.ofNanos(leaseNanos)))
        : Optional.empty();
  }
}
