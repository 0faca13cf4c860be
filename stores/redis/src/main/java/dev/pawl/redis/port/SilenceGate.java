package dev.pawl.redis.port;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Whether one server owed an answer when it was last asked.
 *
 * <p>One call at a time may find out whether a silent server is back; the others are refused at
 * once. So nothing piles up for it, and no thread waits for it that others need (I9).
 */
public final class SilenceGate {

  private final String server;
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean silent;

  public SilenceGate(String server) {
    this.server = server;
  }

  /** Makes a call, unless the server owes answers: nothing is kept for one that is silent. */
  public <T> CompletionStage<T> call(Supplier<CompletionStage<T>> call) {
    if (underWay.getAndIncrement() > 0 && silent) {
      underWay.decrementAndGet();
      return CompletableFuture.failedFuture(
          new StoreUnavailableException(
              server + " has not answered what it was sent; until then nothing more is sent to it",
              null));
    }
    CompletionStage<T> result;
    try {
      result = call.get();
    } catch (RuntimeException | Error e) { // Else it would count as under way for ever.
      result = CompletableFuture.failedFuture(e);
    }
    return result.whenComplete(
        (value, error) -> {
          // An error is an answer too, unless it is for want of one.
          silent = error != null && RedisErrors.unwrap(error) instanceof OutcomeUnknownException;
          underWay.decrementAndGet();
        });
  }

  /** An answer is overdue. */
  public void onOverdue() {
    silent = true;
  }
}
