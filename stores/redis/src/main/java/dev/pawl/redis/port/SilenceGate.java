package dev.pawl.redis.port;

import dev.pawl.OutcomeUnknownException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Whether one server owed an answer when it was last asked.
 *
 * <p>One call at a time may find out whether a silent server is back; the others are refused at
 * once. So nothing piles up for it, and no thread waits for it that others need (I9).
 */
public final class SilenceGate {

  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean silent;

  /** Begins a call, which {@link #end} is to end; false if it is not to be made. */
  public boolean begin() {
    if (underWay.getAndIncrement() > 0 && silent) {
      underWay.decrementAndGet();
      return false;
    }
    return true;
  }

  /** An answer is overdue. */
  public void onOverdue() {
    silent = true;
  }

  /** Ends a call whose result is there; an error is an answer too, unless it is for want of one. */
  public void end(@Nullable Throwable error) {
    silent = error instanceof OutcomeUnknownException;
    underWay.decrementAndGet();
  }
}
