package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Pawl;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TickedJobTest {

  private static final TickedJob.Terms TERMS =
      new TickedJob.Terms(
          "slow", Duration.ZERO, Duration.ZERO, Duration.ZERO, 0, BeforeCommit.LOCAL);

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);
  private final CountDownLatch mayReturn = new CountDownLatch(1);

  /** The body runs on another thread, which may be quicker than the one that calls for the tick. */
  @Test
  void stoppingWaitsForARunWhoseCallHasNotReturnedYet() throws Exception {
    AtomicBoolean accepts = new AtomicBoolean(true);
    try (Pawl pawl = Pawl.connect("memory:")) {
      TickedJob job = new TickedJob(TERMS, () -> slowToReturn(pawl), accepts::get, this::work);
      CompletableFuture<Void> fired =
          CompletableFuture.runAsync(
              () -> job.fire(new Job.Tick.At(Instant.EPOCH)), task -> new Thread(task).start());
      begun.await();

      accepts.set(false);
      CompletableFuture<?> stopped = job.stop();

      assertThat(stopped).isNotDone();
      mayReturn.countDown();
      fired.get(1, TimeUnit.MINUTES);
      assertThat(stopped).isNotDone();
      mayEnd.countDown();
      stopped.get(1, TimeUnit.MINUTES);
    }
  }

  private void work() {
    begun.countDown();
    try {
      mayEnd.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A node whose calls for a tick return when they may. */
  private Pawl slowToReturn(Pawl pawl) {
    return proxy(
        Pawl.class,
        pawl,
        made -> made instanceof Job job ? proxy(Job.class, job, this::returned) : made);
  }

  private Object returned(Object answer) {
    if (answer instanceof CompletableFuture<?>) {
      try {
        mayReturn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return answer instanceof Job job ? proxy(Job.class, job, this::returned) : answer;
  }

  private static <T> T proxy(Class<T> type, T target, UnaryOperator<Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer.apply(method.invoke(target, arguments))));
  }
}
