package dev.pawl.engine.link;

import dev.pawl.OutcomeUnknownException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting in a caller's thread for something the store will answer. */
public final class Futures {

  private Futures() {}

  /** Waits without being interrupted; tells whether it is done, one way or the other. */
  public static boolean awaitDone(CompletableFuture<?> future, long mostNanos) {
    boolean interrupted = false;
    long end = System.nanoTime() + mostNanos;
    try {
      while (!future.isDone()) {
        try {
          future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException | CancellationException e) {
          return true;
        } catch (TimeoutException e) {
          return false;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns why a future failed, or that it is not done. */
  public static Throwable failureOf(CompletableFuture<?> future) {
    if (!future.isDone()) {
      return new OutcomeUnknownException("no answer yet", null);
    }
    try {
      future.join();
      return new IllegalStateException("it did not fail");
    } catch (CompletionException | CancellationException e) {
      return Failures.unwrap(e);
    }
  }
}
