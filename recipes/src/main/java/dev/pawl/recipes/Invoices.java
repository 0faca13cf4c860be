package dev.pawl.recipes;

import dev.pawl.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.springframework.scheduling.annotation.Async;

/** Work on Spring's executor that owns its lease, and gives it back when it is done. */
public class Invoices {

  private final LongConsumer settlement;

  public Invoices(LongConsumer settlement) {
    this.settlement = settlement;
  }

  /**
   * Settles on a thread of the executor.
   *
   * @param lease the caller has taken it, and it is closed here
   */
  @Async
  public CompletableFuture<Long> settle(Lease lease) {
    try (lease) {
      lease.ensureHeld(); // It may have stood in the executor's queue for long.
      settlement.accept(lease.token());
      return CompletableFuture.completedFuture(lease.token());
    }
  }
}
