package dev.pawl.degrade;

import dev.pawl.spi.Finding;
import java.time.Duration;
import java.util.Optional;

/**
 * For how long the backup has not answered: people are warned once when that is half of a mode
 * lease, since locking stops at its end. Guarded by the lock of the pair.
 */
final class BackupWatch {

  /** A node looks more often than that in a mode lease; while it stood still it has not asked. */
  private static final int LEAST_LOOKS = 12;

  private final String backup;
  private final long leaseNanos;
  private long answeredNanos;
  private boolean answered;
  private long lookedNanos;
  private long silentNanos;
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
    lookedNanos = now;
    silentNanos = 0;
    return back;
  }

  /** Looks whether it is away; returns what to warn of. */
  Optional<String> look(long now) {
    // The node's own standstill, after which it asks at once, is not the backup's silence.
    silentNanos += Math.min(now - lookedNanos, leaseNanos / LEAST_LOOKS);
    lookedNanos = now;
    if (warned || !isAway()) {
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
  private boolean isAway() {
    return answered && silentNanos >= leaseNanos / 2;
  }

  /** Returns what a person should know of it. */
  Optional<Finding> finding(long now) {
    return isAway()
        ? Optional.of(
            PairFindings.away(Duration.ofNanos(now - answeredNanos), Duration.ofNanos(leaseNanos)))
        : Optional.empty();
  }
}
