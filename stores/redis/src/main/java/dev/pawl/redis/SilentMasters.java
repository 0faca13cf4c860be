package dev.pawl.redis;

import dev.pawl.OutcomeUnknownException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The masters of a cluster that owed an answer when they were last asked.
 *
 * <p>A client that blocks has few threads for the renewals of a node. One call at a time may find
 * out whether a silent master is back; the others are refused at once, so that the threads are free
 * for the other masters (I9).
 */
final class SilentMasters {

  private final ConcurrentMap<String, Calls> masters = new ConcurrentHashMap<>();

  /** Begins a call, which {@link #end} is to end; false if it is not to be made. */
  boolean begin(String master) {
    Calls calls = masters.computeIfAbsent(master, key -> new Calls());
    if (calls.underWay.getAndIncrement() > 0 && calls.silent) {
      calls.underWay.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Ends a call whose result is there; an error is an answer too. */
  void end(String master, CompletionStage<?> result) {
    Calls calls = masters.computeIfAbsent(master, key -> new Calls());
    var unused =
        result.whenComplete(
            (value, error) -> calls.silent = error instanceof OutcomeUnknownException);
    calls.underWay.decrementAndGet();
  }

  private static final class Calls {
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean silent;
  }
}
