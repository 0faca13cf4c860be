package dev.pawl.engine;

import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The ways to call for a request: blocking or not, for ever, for a while, or now or never. */
final class Calls {

  /** Waits longer than this are without end; it keeps sums of times from running over. */
  private static final long FOREVER_NANOS = Long.MAX_VALUE / 4;

  private final Engine engine;

  Calls(Engine engine) {
    this.engine = engine;
  }

  Lease acquire(Request request) throws InterruptedException {
    return granted(call(request, false, Waiter.NO_DEADLINE, true)).handle();
  }

  Lease acquire(Request request, Duration wait) throws InterruptedException {
    return granted(call(request, false, nanos(wait), true)).handle();
  }

  Optional<Lease> tryAcquire(Request request) {
    return optional(uninterrupted(request, false, 0)).map(HeldLease::handle);
  }

  Optional<Lease> tryAcquire(Request request, Duration wait) throws InterruptedException {
    return optional(call(request, false, nanos(wait), true)).map(HeldLease::handle);
  }

  CompletableFuture<Lease> acquireAsync(Request request, Duration wait) {
    Waiter waiter = new Waiter(request, null, false, engine.now(), nanos(wait));
    waiter.trace = trace();
    CompletableFuture<Lease> result = new CompletableFuture<>();
    // Whoever completes it, by a cancel or a time-out of his own, waits for it no longer.
    engine.whenDone(result, (lease, error) -> engine.leave(waiter));
    engine.whenDone(
        waiter.outcome,
        (outcome, error) -> {
          if (!engine.events().run(() -> complete(result, waiter, outcome))) {
            complete(result, waiter, outcome);
          }
        });
    start(waiter, false);
    return result;
  }

  private void complete(CompletableFuture<Lease> result, Waiter waiter, Outcome outcome) {
    try {
      HeldLease lease = granted(new Call(waiter, outcome));
      if (!result.complete(lease.handle())) {
        engine.releaseInBackground(lease);
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  /** One call that has ended. */
  record Call(Waiter waiter, Outcome outcome) {}

  Call call(Request request, boolean threadOwned, long waitNanos, boolean interruptible)
      throws InterruptedException {
    if (interruptible && Thread.interrupted()) {
      throw new InterruptedException();
    }
    Waiter waiter =
        new Waiter(request, Thread.currentThread(), threadOwned, engine.now(), bounded(waitNanos));
    waiter.trace = trace();
    start(waiter, true);
    return new Call(waiter, engine.await(waiter, interruptible));
  }

  /** Starts a call; if that throws, nobody waits for its outcome, and nothing is kept for it. */
  private void start(Waiter waiter, boolean mayBlock) {
    try {
      engine.start(waiter, mayBlock);
    } catch (RuntimeException | Error e) {
      engine.giveUp(waiter);
      throw e;
    }
  }

  private @Nullable Throwable trace() {
    return engine.vigilance().traces() ? new Throwable("it was taken here") : null;
  }

  private static long bounded(long waitNanos) {
    return waitNanos > FOREVER_NANOS ? Waiter.NO_DEADLINE : Math.max(0, waitNanos);
  }

  Call uninterrupted(Request request, boolean threadOwned, long waitNanos) {
    try {
      return call(request, threadOwned, waitNanos, false);
    } catch (InterruptedException e) {
      throw new CompletionException(e); // Not interruptible, so it cannot be.
    }
  }

  HeldLease granted(Call call) {
    Outcome outcome = call.outcome();
    if (outcome instanceof Outcome.Held held) {
      return held.lease();
    }
    if (outcome instanceof Outcome.Refused refused) {
      engine.events().refused(call.waiter());
      throw new LockTimeoutException(refused.why().get());
    }
    throw failure(call.waiter(), outcome);
  }

  Optional<HeldLease> optional(Call call) {
    if (call.outcome() instanceof Outcome.Held held) {
      return Optional.of(held.lease());
    }
    if (call.outcome() instanceof Outcome.Refused) {
      engine.events().refused(call.waiter());
      return Optional.empty();
    }
    throw failure(call.waiter(), call.outcome());
  }

  /** Returns what to throw for a call that got no answer of use; listeners hear of it. */
  RuntimeException failure(Waiter waiter, Outcome outcome) {
    if (!(outcome instanceof Outcome.Failed failed)) {
      return new IllegalStateException("a lock without a mark answered " + outcome);
    }
    RuntimeException exception = failed.exception().get();
    if (Failures.isOfTheStore(exception)) {
      engine.events().storeFailed(waiter.request.name(), "acquire", exception);
    }
    return exception;
  }

  /** Returns a wait in nanoseconds, having checked that it is one. */
  static long nanos(Duration wait) {
    if (Objects.requireNonNull(wait, "wait").isNegative()) {
      throw new IllegalArgumentException("wait is " + wait + "; allowed is zero and more");
    }
    try {
      return bounded(wait.toNanos());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "wait is "
              + wait
              + "; allowed is up to 292 years, and to wait without end is acquire() or lock()",
          e);
    }
  }
}
