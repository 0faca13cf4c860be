package dev.pawl.cli.doctor;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.Finding;
import java.time.Duration;

/** Whether a store locks: the one thing that cannot be found out by looking. */
final class TrialLock {

  private static final String NAME = "pawl:doctor";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private TrialLock() {}

  /** Takes a lock and releases it, twice. */
  static Finding takeTwice(Pawl pawl) throws InterruptedException {
    long first;
    try (Lease lease = pawl.lock(NAME).acquire(PATIENCE)) {
      first = lease.token();
    }
    try (Lease lease = pawl.lock(NAME).acquire(PATIENCE)) {
      return lease.token() > first
          ? Finding.fine("a lock was taken and released twice; its token rose")
          : Finding.unsafe(
              "the token of a lock went from " + first + " to " + lease.token(),
              "A resource that checks tokens would let a stale holder write.",
              "Check the clock of the server: tokens rise with it.");
    }
  }
}
