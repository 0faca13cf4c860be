package dev.pawl.engine.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.Pawl.Counts;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a monitor is told, and in which thread. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
class MonitorsTest {

  private final MemoryStore store = new MemoryStore();
  private final Pawl pawl = Pawl.builder(store).build();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  /** Notes what it is told, and whether that was in the test's own thread. */
  private final Pawl.Monitor noting =
      new Pawl.Monitor() {
        private final Thread test = Thread.currentThread();

        private void note(String what) {
          told.add(what + (Thread.currentThread() == test ? "" : " elsewhere"));
        }

        @Override
        public Object began(String name) {
          return "began " + name;
        }

        @Override
        public void ended(@Nullable Object began, String name, Ending ending, long tookNanos) {
          assertThat(began).isEqualTo("began " + name);
          assertThat(tookNanos).isBetween(0L, TimeUnit.MINUTES.toNanos(1));
          note(name + " " + ending);
        }

        @Override
        public void released(String name, long heldNanos) {
          assertThat(heldNanos).isBetween(0L, TimeUnit.MINUTES.toNanos(1));
          note(name + " released");
        }

        @Override
        public void lost(String name, long heldNanos) {
          note(name + " lost");
        }

        @Override
        public <T> T run(Job.Run run, Job.Body<T> body) throws Exception {
          note(run.job() + " begins");
          return body.run(run);
        }

        @Override
        public void ran(String job, Job.Outcome<?> outcome) {
          note(job + " " + outcome.getClass().getSimpleName());
        }

        @Override
        public void missed(Job.Missed missed) {
          note(missed.job() + " missed " + missed.ticks());
        }
      };

  @AfterEach
  void close() {
    pawl.close();
    store.close();
  }

  private String next() throws InterruptedException {
    return told.poll(30, TimeUnit.SECONDS);
  }

  @Test
  void aCallerHearsOfItsOwnCallInItsOwnThread() throws Exception {
    Runnable end = pawl.monitor(noting);
    Lease lease = pawl.lock("x").acquire();
    assertThat(told).containsExactly("x GRANTED");
    assertThat(pawl.lock("x").tryAcquire()).isEmpty();
    assertThatThrownBy(() -> pawl.lock("x").acquire(Duration.ofSeconds(1)))
        .isInstanceOf(DeadlockException.class);
    lease.close();
    pawl.lock("x").lock();
    pawl.lock("x").lock();
    pawl.lock("x").unlock();
    pawl.lock("x").unlock();
    assertThat(told)
        .containsExactly(
            "x GRANTED", "x BUSY", "x FAILED", "x released", "x GRANTED", "x released");
    end.run();
    pawl.lock("x").acquire().close();
    assertThat(told).hasSize(6);
  }

  @Test
  void waitsPassesTimeoutsAndInterruptsAreToldApart() throws Exception {
    pawl.monitor(noting);
    try (Pawl other = Pawl.builder(store).build()) {
      Lease theirs = other.lock("x").acquire();
      assertThatThrownBy(() -> pawl.lock("x").acquire(Duration.ofMillis(1)))
          .isInstanceOf(LockTimeoutException.class);
      assertThat(next()).isEqualTo("x TIMED_OUT");
      CompletableFuture<Lease> first = pawl.lock("x").acquireAsync(Duration.ofSeconds(30));
      CompletableFuture<Lease> second = pawl.lock("x").acquireAsync(Duration.ofSeconds(30));
      CompletableFuture<Lease> third = pawl.lock("x").acquireAsync(Duration.ofSeconds(30));
      third.cancel(false);
      assertThat(next()).isEqualTo("x CANCELLED elsewhere");
      theirs.close();
      Lease granted = first.get(30, TimeUnit.SECONDS);
      assertThat(next()).isEqualTo("x WAITED elsewhere");
      granted.close();
      assertThat(next()).isEqualTo("x released");
      second.get(30, TimeUnit.SECONDS).close();
      assertThat(next()).isIn("x PASSED elsewhere", "x WAITED elsewhere"); // After 10 ms it yields.
    }
    Lease mine = pawl.lock("y").acquireAsync(Duration.ofSeconds(1)).get(30, TimeUnit.SECONDS);
    told.clear();
    CountDownLatch waiting = new CountDownLatch(1);
    Thread waiter =
        new Thread(
            () -> {
              waiting.countDown();
              try {
                pawl.lock("y").acquire().close();
              } catch (InterruptedException e) {
                told.add("interrupted");
              }
            });
    waiter.start();
    waiting.await();
    while (pawl.counts().waiting(Counts.Kind.LOCK) == 0) {
      Thread.onSpinWait();
    }
    waiter.interrupt();
    assertThat(next()).isEqualTo("y CANCELLED elsewhere");
    assertThat(next()).isEqualTo("interrupted");
    mine.close();
  }

  @Test
  void aPassIsOne() throws Exception {
    Lease mine = pawl.lock("x").acquireAsync(Duration.ofSeconds(1)).get(30, TimeUnit.SECONDS);
    mine.close();
    // Grants are passed on for 10 ms: on a machine that stalls, the next one is as good.
    String how = "";
    for (int i = 0; i < 100 && !how.contains("PASSED"); i++) {
      Lease first = pawl.lock("x").acquireAsync(Duration.ofSeconds(1)).get(30, TimeUnit.SECONDS);
      Runnable end = pawl.monitor(noting);
      CompletableFuture<Lease> second = pawl.lock("x").acquireAsync(Duration.ofSeconds(30));
      first.close();
      second.get(30, TimeUnit.SECONDS).close();
      how = told.toString();
      end.run();
      told.clear();
    }
    assertThat(how).contains("x PASSED");
  }

  @Test
  void aLossIsToldElsewhereAndIsNoRelease() throws Exception {
    pawl.monitor(noting);
    Lease lease =
        pawl.lock("x", LockOptions.DEFAULT.withLease(Duration.ofMillis(100)).withRenewal(false))
            .acquire();
    // In any order: the caller may be told when a lease so short has ended.
    assertThat(Arrays.asList(next(), next()))
        .containsExactlyInAnyOrder("x GRANTED", "x lost elsewhere");
    assertThatThrownBy(lease::close).hasMessageContaining("lost");
    assertThat(told).isEmpty();
  }

  @Test
  void jobsAreToldByTheirRunsAndNotByTheirLocks() throws Exception {
    pawl.monitor(noting);
    Instant tick = Instant.now();
    pawl.job("sms").run(tick, run -> {});
    assertThat(next()).isEqualTo("sms begins");
    assertThat(next()).isEqualTo("sms Ran elsewhere");
    pawl.job("sms").run(tick, run -> {});
    assertThat(next()).isEqualTo("sms AlreadyDone elsewhere");
    pawl.job("sms")
        .runOrStandBy(
            tick.plusSeconds(1),
            run -> {
              throw new IllegalStateException("no");
            })
        .get(30, TimeUnit.SECONDS);
    assertThat(next()).isEqualTo("sms begins elsewhere");
    assertThat(next()).isEqualTo("sms Failed elsewhere");
    assertThat(told).isEmpty();
  }

  @Test
  void missedPeriodsAreNoticedWithoutAListener() throws Exception {
    pawl.monitor(noting);
    Job.Tick every = Job.every(Duration.ofMillis(100));
    pawl.job("often").run(every, run -> {});
    long done = System.nanoTime();
    while (System.nanoTime() - done < TimeUnit.MILLISECONDS.toNanos(450)) {
      Thread.onSpinWait();
    }
    pawl.job("often").run(every, run -> {});
    String all = next() + next() + next() + next() + next();
    assertThat(all).containsPattern("often missed [1-9]");
  }

  @Test
  void aMonitorThatThrowsHarmsNobody() throws Exception {
    pawl.monitor(
        new Pawl.Monitor() {
          @Override
          public Object began(String name) {
            throw new IllegalStateException("began");
          }

          @Override
          public void ended(@Nullable Object began, String name, Ending ending, long tookNanos) {
            throw new AssertionError("ended");
          }

          @Override
          public void released(String name, long heldNanos) {
            throw new IllegalStateException("released");
          }
        });
    pawl.monitor(noting);
    pawl.lock("x").acquire().close();
    assertThat(told).containsExactly("x GRANTED", "x released");
  }

  @Test
  void aNodeCountsWhatItHasAndWhatItAsks() throws Exception {
    Counts counts = pawl.counts();
    try (Lease lease = pawl.lock("x").acquire();
        Lease permits = pawl.semaphore("s", 3).acquire(2);
        Election.Campaign campaign =
            pawl.election("leader").lead(term -> new CountDownLatch(1).await())) {
      CompletableFuture<Lease> waiting = pawl.lock("x").acquireAsync(Duration.ofMinutes(1));
      while (counts.held(Counts.Kind.ELECTION) == 0) {
        Thread.onSpinWait();
      }
      assertThat(counts.held(Counts.Kind.LOCK)).isEqualTo(2);
      assertThat(counts.held(Counts.Kind.JOB)).isZero();
      assertThat(counts.waiting(Counts.Kind.LOCK)).isEqualTo(1);
      waiting.cancel(false);
      permits.confirm();
    }
    assertThat(counts.held(Counts.Kind.LOCK)).isZero();
    assertThat(counts.waiting(Counts.Kind.LOCK)).isZero();
    assertThat(counts.storeCalls(Counts.Call.ACQUIRE, Counts.Answer.OK)).isEqualTo(3);
    assertThat(counts.storeCalls(Counts.Call.RENEW, Counts.Answer.OK)).isPositive();
    assertThat(counts.storeCalls(Counts.Call.RELEASE, Counts.Answer.OK)).isBetween(2L, 3L);
    assertThat(counts.failedRenewals()).isZero();
  }
}
