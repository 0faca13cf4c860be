package dev.pawl.redis.port;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Does something after a while; where no thread can be made for it at that moment, after the same
 * while again. What looks after connections would end for good otherwise, without a word.
 *
 * @param threads where it is done
 */
public record Later(Executor threads) {

  /** Uses the threads that Java has for such things. */
  public static final Later ON_ANY_THREAD =
      new Later(new CompletableFuture<Void>().defaultExecutor());

  /** Does it once, after that time at the earliest. */
  public void run(Duration delay, Runnable task) {
    // A pool that could make no thread may have kept it all the same.
    AtomicBoolean begun = new AtomicBoolean();
    after(
        delay,
        () -> {
          if (begun.compareAndSet(false, true)) {
            task.run();
          }
        });
  }

  private void after(Duration delay, Runnable once) {
    CompletableFuture.delayedExecutor(
            delay.toNanos(), TimeUnit.NANOSECONDS, due -> start(delay, due))
        .execute(once);
  }

  private void start(Duration delay, Runnable once) {
    try {
      threads.execute(once);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      after(delay, once);
    }
  }
}
