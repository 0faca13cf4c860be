package dev.pawl.cli.run;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A run whenever the lock can be had: exclusive, shared, or one of N. */
final class LockTurn {

  private final Pawl pawl;
  private final String name;
  private final LockOptions options;
  private final boolean shared;
  private final @Nullable Integer limit;
  private final GuardedRun run;

  LockTurn(
      Pawl pawl,
      String name,
      LockOptions options,
      boolean shared,
      @Nullable Integer limit,
      GuardedRun run) {
    this.pawl = pawl;
    this.name = name;
    this.options = options;
    this.shared = shared;
    this.limit = limit;
    this.run = run;
  }

  int call(Optional<Duration> patience) throws InterruptedException {
    try (Lease lease = acquire(patience)) {
      return run.call(
              Map.of(
                  "PAWL_NAME", name,
                  "PAWL_TOKEN", Long.toString(lease.token()),
                  "PAWL_NODE", pawl.label()),
              lease::remaining)
          .code();
    }
  }

  private Lease acquire(Optional<Duration> patience) throws InterruptedException {
    if (limit != null) {
      var semaphore = pawl.semaphore(name, limit, options);
      return patience.isPresent() ? semaphore.acquire(1, patience.get()) : semaphore.acquire();
    }
    DistributedLock lock =
        shared ? pawl.readWriteLock(name, options).readLock() : pawl.lock(name, options);
    return patience.isPresent() ? lock.acquire(patience.get()) : lock.acquire();
  }
}
