package dev.pawl.engine.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On a clock moved by hand, with real threads: how many there are, and when. */
class CrewTest {

  private final AtomicLong clock = new AtomicLong();
  private final List<Runnable> checks = new ArrayList<>();
  private final List<Thread> started = new ArrayList<>();
  private int missing;

  private final CountDownLatch end = new CountDownLatch(1);

  private final Crew crew =
      new Crew(
          "crew",
          this::thread,
          clock::get,
          (task, delay) -> {
            checks.add(task);
            return () -> {};
          });

  @AfterEach
  void endThreads() throws Exception {
    end.countDown();
    crew.shutdown();
    for (Thread thread : started) {
      thread.join(10_000);
      assertThat(thread.isAlive()).as("%s after the shutdown", thread).isFalse();
    }
  }

  private Thread thread(Runnable body) {
    if (missing-- > 0) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    started.add(thread);
    return thread;
  }

  /** Lets the time pass after which somebody looks at who waits. */
  private void pass() {
    clock.addAndGet(Crew.PATIENCE_NANOS);
    List<Runnable> due = List.copyOf(checks);
    checks.clear();
    due.forEach(Runnable::run);
  }

  private void stick(int count) throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      crew.execute(
          () -> {
            stuck.countDown();
            try {
              end.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
    if (count <= Crew.FEW) {
      assertThat(stuck.await(10, TimeUnit.SECONDS)).isTrue();
    }
    while (!stuck.await(1, TimeUnit.MILLISECONDS)) {
      pass();
    }
  }

  @Test
  void aTaskDoesNotWaitForThoseThatDoNotReturn() throws Exception {
    stick(Crew.FEW);
    assertThat(started).hasSize(Crew.FEW);
    CountDownLatch done = new CountDownLatch(1);
    crew.execute(done::countDown);
    assertThat(started).as("before the task has waited").hasSize(Crew.FEW);
    pass();
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void thereIsABoundToIt() throws Exception {
    stick(Crew.MOST);
    CountDownLatch done = new CountDownLatch(1);
    crew.execute(done::countDown);
    pass();
    pass();
    assertThat(started).hasSize(Crew.MOST);
    end.countDown();
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTaskThatFoundNoThreadIsDoneWhenThereIsOne() throws Exception {
    missing = 3;
    CountDownLatch done = new CountDownLatch(1);
    crew.execute(done::countDown);
    pass();
    pass();
    assertThat(started).isEmpty();
    pass();
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTaskThatThrowsOrIsInterruptedCostsNoOther() throws Exception {
    crew.execute(
        () -> {
          Thread.currentThread().interrupt();
          throw new AssertionError("not my day");
        });
    CountDownLatch done = new CountDownLatch(20);
    for (int i = 0; i < 20; i++) {
      crew.execute(done::countDown);
    }
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(started).hasSizeLessThanOrEqualTo(Crew.FEW);
  }

  @Test
  void whatWasTakenBeforeTheShutdownIsDone() throws Exception {
    stick(Crew.FEW);
    CountDownLatch done = new CountDownLatch(1);
    crew.execute(done::countDown);
    crew.shutdown();
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> crew.execute(done::countDown))
        .isInstanceOf(RejectedExecutionException.class);
  }
}
