package dev.pawl.cli.run;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.DurationConverter;
import dev.pawl.cli.shell.Refusal;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of whoever takes a lock: how long to wait for it, with whom to share it. */
final class AcquireOptions {

  /** Below this there is no time to end a command between a missed renewal and the lease's end. */
  private static final Duration MIN_LEASE = Duration.ofSeconds(1);

  @Option(
      names = {"-n", "--no-wait"},
      description = "Do not wait: now or not at all.")
  private boolean noWait;

  @Option(
      names = {"-w", "--wait"},
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "Wait that long at the most, such as 30s; by default for ever, if the store answers.")
  private @Nullable Duration wait;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long a dead host keeps the others waiting; by default 10s.")
  private Duration lease = LockOptions.DEFAULT.lease();

  @Option(names = "--shared", description = "Together with others that are shared.")
  private boolean shared;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Up to N at a time. All who use the name should say the same N.")
  private @Nullable Integer limit;

  /** Refuses what makes no sense. */
  void check() {
    atMostOne("-n", noWait, "-w", wait != null);
    atMostOne("--shared", shared, "--limit", limit != null);
    if (limit != null && limit < 1) {
      throw Refusal.usage("--limit is " + limit + "; it must be at least 1");
    }
    if (lease.compareTo(MIN_LEASE) < 0) {
      throw Refusal.usage(
          "--lease is "
              + DurationText.format(lease)
              + ", and at least 1s is needed: time to end a command before it expires");
    }
    if (lease.compareTo(LockOptions.MAX_LEASE) > 0) {
      throw Refusal.usage(
          "--lease is "
              + DurationText.format(lease)
              + ", and at most 1d is allowed: a dead host would keep the others waiting");
    }
  }

  static void atMostOne(String one, boolean hasOne, String other, boolean hasOther) {
    if (hasOne && hasOther) {
      throw Refusal.usage(one + " and " + other + " exclude each other");
    }
  }

  /** Returns the option by which others may hold it at the same time. */
  Optional<String> sharing() {
    return shared ? Optional.of("--shared") : Optional.ofNullable(limit).map(n -> "--limit");
  }

  Duration lease() {
    return lease;
  }

  LockOptions lockOptions() {
    return LockOptions.DEFAULT.withLease(lease);
  }

  /** How long to wait; empty for ever. */
  Optional<Duration> patience() {
    return noWait ? Optional.of(Duration.ZERO) : Optional.ofNullable(wait);
  }

  /** Takes the lock, with about a whole lease to begin with. */
  Lease acquire(Pawl pawl, String name) throws InterruptedException {
    long begunAt = System.nanoTime();
    while (true) {
      Optional<Duration> left =
          patience().map(whole -> left(whole, Duration.ofNanos(System.nanoTime() - begunAt)));
      Lease lease = acquire(pawl, name, left);
      boolean whole = false;
      try {
        whole = Hold.of(lease).isWhole(this.lease);
      } finally {
        if (!whole) {
          giveBack(lease);
        }
      }
      if (whole) {
        return lease;
      }
    }
  }

  private static Duration left(Duration whole, Duration gone) {
    return whole.compareTo(gone) > 0 ? whole.minus(gone) : Duration.ZERO;
  }

  private static void giveBack(Lease lease) {
    try {
      lease.close();
    } catch (LeaseLostException e) {
      // Nothing was done under it.
    }
  }

  private Lease acquire(Pawl pawl, String name, Optional<Duration> patience)
      throws InterruptedException {
    if (limit != null) {
      var semaphore = pawl.semaphore(name, limit, lockOptions());
      return patience.isPresent() ? semaphore.acquire(1, patience.get()) : semaphore.acquire();
    }
    DistributedLock lock =
        shared
            ? pawl.readWriteLock(name, lockOptions()).readLock()
            : pawl.lock(name, lockOptions());
    return patience.isPresent() ? lock.acquire(patience.get()) : lock.acquire();
  }
}
