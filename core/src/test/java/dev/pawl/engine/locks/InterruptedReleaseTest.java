package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A release in an interrupted thread, as in a {@code finally}, over a driver that blocks, gives up
 * when its thread is interrupted, and takes its time otherwise; and what else is told to the store
 * there.
 */
class InterruptedReleaseTest {

  private static final long SLOW_MILLIS = 100;

  /** For a machine that stalls. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final MemoryStore server = new MemoryStore();
  private final AtomicInteger releases = new AtomicInteger();
  private final LockStore driver =
      (LockStore)
          Proxy.newProxyInstance(
              LockStore.class.getClassLoader(),
              new Class<?>[] {LockStore.class},
              (proxy, method, arguments) -> onCall(method, arguments));

  @AfterEach
  void clearTheInterrupt() {
    Thread.interrupted();
  }

  @Test
  void theNameIsFreeWhenTheCallReturns() throws Exception {
    try (Pawl pawl = Pawl.builder(driver).responseTimeout(PATIENCE).build()) {
      Lease lease = pawl.lock("x").acquire();
      Thread.currentThread().interrupt();
      long start = System.nanoTime();

      lease.close();

      int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      assertThat(Thread.interrupted()).as("the interrupt is kept for the caller").isTrue();
      assertThat(releases.get())
          .as("one that failed, one that did it, and one for each second without an answer")
          .isBetween(2, 2 + seconds);
      assertThat(server.find("x").toCompletableFuture().join())
          .as("who holds it")
          .satisfies(
              found -> assertThat(found.map(info -> info.holders().size()).orElse(0)).isZero());
    }
  }

  @Test
  @SuppressWarnings("LockNotBeforeTry") // It is unlocked in the state that a finally may be in.
  void soIsTheNameOfAThread() throws Exception {
    try (Pawl pawl = Pawl.builder(driver).responseTimeout(PATIENCE).build()) {
      pawl.lock("x").lock();
      Thread.currentThread().interrupt();

      pawl.lock("x").unlock();

      assertThat(Thread.interrupted()).isTrue();
      assertThat(pawl.lock("x").tryAcquire()).isPresent();
    }
  }

  @Test
  void aNameIsKeptForAsLongAsItIsSaid() throws Exception {
    try (Pawl pawl = Pawl.builder(driver).responseTimeout(PATIENCE).build()) {
      Lease lease = pawl.lock("x").acquire();
      Thread.currentThread().interrupt();

      lease.confirm();
      lease.closeAfter(Duration.ofMinutes(5));

      assertThat(Thread.interrupted()).as("the interrupt is kept for the caller").isTrue();
      assertThat(server.find("x").toCompletableFuture().join().orElseThrow().holders())
          .singleElement()
          .satisfies(holder -> assertThat(holder.left()).isGreaterThan(Duration.ofMinutes(4)));
    }
  }

  @Test
  void aRunWhoseBodyKeepsItsInterruptIsJournalled() {
    try (Pawl pawl = Pawl.builder(driver).responseTimeout(PATIENCE).build()) {
      Job.Outcome<Integer> outcome =
          pawl.job("sms")
              .run(
                  Instant.EPOCH,
                  run -> {
                    Thread.currentThread().interrupt();
                    return 1;
                  });

      assertThat(Thread.interrupted()).as("the interrupt is kept for the caller").isTrue();
      assertThat(outcome).isInstanceOf(Job.Outcome.Ran.class);
      assertThat(pawl.inspector().runs("sms", 1)).hasSize(1);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // It is what the proxied method returns.
  private Object onCall(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("blocking")) {
      return true;
    }
    if (Set.of("renew", "journal").contains(method.getName())
        && Thread.currentThread().isInterrupted()) {
      throw new StoreUnavailableException("interrupted", new InterruptedException());
    }
    if (!method.getName().equals("release")) {
      return method.invoke(server, arguments);
    }
    releases.incrementAndGet();
    if (Thread.currentThread().isInterrupted()) {
      return CompletableFuture.failedFuture(
          new StoreUnavailableException("interrupted", new InterruptedException()));
    }
    return CompletableFuture.supplyAsync(
            () -> true, CompletableFuture.delayedExecutor(SLOW_MILLIS, TimeUnit.MILLISECONDS))
        .thenCompose(
            waited -> {
              try {
                return (CompletionStage<?>) method.invoke(server, arguments);
              } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
              }
            });
  }
}
