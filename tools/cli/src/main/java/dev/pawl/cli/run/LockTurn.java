package dev.pawl.cli.run;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.util.Map;

/** A run whenever the lock can be had: exclusive, shared, or one of N. */
final class LockTurn {

  private final Pawl pawl;
  private final String name;
  private final AcquireOptions options;
  private final GuardedRun run;

  LockTurn(Pawl pawl, String name, AcquireOptions options, GuardedRun run) {
    this.pawl = pawl;
    this.name = name;
    this.options = options;
    this.run = run;
  }

  int call() throws InterruptedException {
    try (Lease lease = options.acquire(pawl, name)) {
      lease.onLost(run::awaitEnd);
      return run.call(
              Map.of(
                  "PAWL_NAME", name,
                  "PAWL_TOKEN", Long.toString(lease.token()),
                  "PAWL_NODE", pawl.label()),
              lease::remaining)
          .code();
    }
  }
}
