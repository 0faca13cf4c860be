package dev.pawl.console.watch;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.spi.LockStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What the store's clock shows. It is asked now and then, and counted on in between by the
 * monotonic clock of this process. One thread at a time uses it.
 */
final class StoreTime {

  private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PATIENCE_SECONDS = 5;

  private boolean known;
  private long askedNanos;
  private long microsThen;

  Instant now(LockStore store) {
    if (!known || System.nanoTime() - askedNanos > ASK_AGAIN_NANOS) {
      long before = System.nanoTime();
      microsThen = ask(store);
      askedNanos = before + (System.nanoTime() - before) / 2;
      known = true;
    }
    long micros = microsThen + (System.nanoTime() - askedNanos) / 1_000;
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Has it asked again at the next look, as it may be another server's. */
  void forget() {
    known = false;
  }

  private static long ask(LockStore store) {
    try {
      return store.nowMicros().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PawlException failure) {
        throw failure;
      }
      throw new IllegalStateException("the store's clock", e.getCause());
    } catch (TimeoutException e) {
      throw new OutcomeUnknownException("the store does not say what its clock shows", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
