package dev.pawl.engine.locks;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl.Monitor;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Futures;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ways to call for a request: blocking or not, for ever, for a while, or now or never. */
public final class Calls {

  private static final Logger LOG = LoggerFactory.getLogger(Calls.class);

  /** Waits longer than this are without end; it keeps sums of times from running over. */
  private static final long FOREVER_NANOS = Long.MAX_VALUE / 4;

  private final Engine engine;

  public Calls(Engine engine) {
    this.engine = engine;
  }

  Lease acquire(Request request) throws InterruptedException {
    return granted(call(request, false, Caller.NO_DEADLINE, true)).handle();
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

  public CompletableFuture<Lease> acquireAsync(Request request, Duration wait) {
    Caller caller = new Caller(request, null, false, engine.now(), nanos(wait));
    caller.trace = trace();
    CompletableFuture<Lease> result = new CompletableFuture<>();
    Monitor monitor = engine.events().monitors().of(request);
    Object began = monitor == null ? null : monitor.began(request.name());
    // Whoever completes it, by a cancel or a timeout of his own, waits for it no longer; what it
    // was granted may still stand in line for a thread of the callback executor.
    engine
        .link()
        .whenDone(
            result,
            (lease, error) -> {
              if (lease == null) {
                giveUp(caller);
              } else {
                leave(caller);
              }
            });
    engine
        .link()
        .whenDone(
            caller.outcome,
            (outcome, error) -> {
              Runnable end =
                  () -> {
                    if (monitor != null) {
                      tell(monitor, began, caller, outcome, result.isDone());
                    }
                    complete(result, caller, outcome);
                  };
              if (!engine.events().run(end)) {
                end.run();
              }
            });
    start(caller, false);
    return result;
  }

  private void complete(CompletableFuture<Lease> result, Caller caller, CallResult outcome) {
    try {
      HeldLease lease = granted(new Call(caller, outcome));
      if (!result.complete(lease.handle())) {
        engine.releaseInBackground(lease);
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  /** One call that has ended. */
  public record Call(Caller caller, CallResult outcome) {}

  Call call(Request request, boolean threadOwned, long waitNanos, boolean interruptible)
      throws InterruptedException {
    if (interruptible && Thread.interrupted()) {
      throw new InterruptedException();
    }
    Caller caller =
        new Caller(request, Thread.currentThread(), threadOwned, engine.now(), bounded(waitNanos));
    caller.trace = trace();
    Monitor monitor = engine.events().monitors().of(request);
    if (monitor == null) {
      start(caller, true);
      return new Call(caller, await(caller, interruptible));
    }
    Object began = monitor.began(request.name());
    @Nullable CallResult outcome = null;
    boolean interrupted = false;
    try {
      start(caller, true);
      outcome = await(caller, interruptible);
      return new Call(caller, outcome);
    } catch (InterruptedException e) {
      interrupted = true;
      throw e;
    } finally {
      tell(monitor, began, caller, outcome, interrupted);
    }
  }

  private void tell(
      Monitor monitor,
      @Nullable Object began,
      Caller caller,
      @Nullable CallResult outcome,
      boolean cancelled) {
    long end = outcome instanceof CallResult.Held held ? held.lease().sinceNanos : engine.now();
    Monitor.Ending ending =
        cancelled ? Monitor.Ending.CANCELLED : CallResult.ending(caller, outcome);
    monitor.ended(began, caller.request.name(), ending, end - caller.startedNanos);
  }

  /** Starts a call; if that throws, nobody waits for its outcome, and nothing is kept for it. */
  private void start(Caller caller, boolean mayBlock) {
    try {
      engine.start(caller, mayBlock);
    } catch (RuntimeException | Error e) {
      giveUp(caller);
      throw e;
    }
  }

  private @Nullable Throwable trace() {
    return engine.vigilance().traces() ? new Throwable("it was taken here") : null;
  }

  private static long bounded(long waitNanos) {
    return waitNanos > FOREVER_NANOS ? Caller.NO_DEADLINE : Math.max(0, waitNanos);
  }

  public Call uninterrupted(Request request, boolean threadOwned, long waitNanos) {
    try {
      return call(request, threadOwned, waitNanos, false);
    } catch (InterruptedException e) {
      throw new CompletionException(e); // Not interruptible, so it cannot be.
    }
  }

  /** Waits for a call's outcome in its own thread. */
  private CallResult await(Caller caller, boolean interruptible) throws InterruptedException {
    CompletableFuture<CallResult> outcome = caller.outcome;
    if (outcome.isDone()) {
      return outcome.join();
    }
    boolean interrupted = false;
    engine.watch().enter(caller);
    try {
      while (true) {
        try {
          return outcome.get();
        } catch (InterruptedException e) {
          if (interruptible) {
            giveBack(caller);
            throw e;
          }
          interrupted = true;
        } catch (ExecutionException e) {
          throw new IllegalStateException(e);
        }
      }
    } finally {
      engine.watch().exit(caller);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Ends the call of a thread that was interrupted, and returns when nothing of it is left: its
   * claim is cancelled, and what it was given at the last moment is given back.
   */
  private void giveBack(Caller caller) {
    leave(caller);
    Futures.awaitDone(caller.outcome, Long.MAX_VALUE);
    if (caller.outcome.join() instanceof CallResult.Held held) {
      try {
        engine.release(held.lease());
      } catch (LeaseLostException e) {
        LOG.debug("what {} was given when it was interrupted is lost already", caller.thread, e);
      }
    }
  }

  /** Ends a call that nobody wants the outcome of; what it was given meanwhile is given back. */
  public void giveUp(Caller caller) {
    if (caller.queue != null && !leave(caller)) {
      engine
          .link()
          .whenDone(
              caller.outcome,
              (outcome, error) -> {
                if (outcome instanceof CallResult.Held held) {
                  engine.releaseInBackground(held.lease());
                }
              });
    }
  }

  /**
   * Takes a call out of its line, because nobody wants its outcome any more; false if it stands in
   * none, or has ended already.
   */
  public boolean leave(Caller caller) {
    return caller.leave(
        new CallResult.Refused(() -> "nobody waits any more", null),
        engine.link().pace().attemptNanos());
  }

  HeldLease granted(Call call) {
    CallResult outcome = call.outcome();
    if (outcome instanceof CallResult.Held held) {
      return held.lease();
    }
    if (outcome instanceof CallResult.Refused refused) {
      engine.events().refused(call.caller());
      throw new LockTimeoutException(refused.why().get());
    }
    throw failure(call.caller(), outcome);
  }

  Optional<HeldLease> optional(Call call) {
    if (call.outcome() instanceof CallResult.Held held) {
      return Optional.of(held.lease());
    }
    if (call.outcome() instanceof CallResult.Refused) {
      engine.events().refused(call.caller());
      return Optional.empty();
    }
    throw failure(call.caller(), call.outcome());
  }

  /** Returns what to throw for a call that got no answer of use; listeners hear of it. */
  public RuntimeException failure(Caller caller, CallResult outcome) {
    if (!(outcome instanceof CallResult.Failed failed)) {
      return new IllegalStateException("a lock without a mark answered " + outcome);
    }
    RuntimeException exception = failed.exception().get();
    if (Failures.isOfTheStore(exception)) {
      engine.events().storeFailed(caller.request.name(), "acquire", exception);
    }
    return exception;
  }

  /** Returns a wait in nanoseconds, having checked that it is one. */
  static long nanos(Duration wait) {
    if (Objects.requireNonNull(wait, "wait").isNegative()) {
      throw new IllegalArgumentException(
          "wait is " + DurationText.format(wait) + "; allowed is zero and more");
    }
    try {
      return bounded(wait.toNanos());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "wait is "
              + DurationText.format(wait)
              + "; allowed is up to 292 years, and to wait without end is acquire() or lock()",
          e);
    }
  }
}
