package dev.pawl.recipes;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** Waits for the lock without a thread, and only then gives the work to the executor. */
public class InvoiceDesk {

  private final Pawl pawl;
  private final Invoices invoices;

  public InvoiceDesk(Pawl pawl, Invoices invoices) {
    this.pawl = pawl;
    this.invoices = invoices;
  }

  public CompletableFuture<Long> settle(int id) {
    return pawl.lock("invoice:" + id).acquireAsync(Duration.ofSeconds(30)).thenCompose(this::hand);
  }

  private CompletableFuture<Long> hand(Lease lease) {
    try {
      return invoices.settle(lease);
    } catch (RejectedExecutionException e) { // Then nobody else closes it.
      lease.close();
      throw e;
    }
  }
}
