package dev.pawl.spring;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job of this node that is called at each tick: it runs here, or stands by, one call at a time.
 *
 * <p>A call that still waits when the next tick comes gives way to it. A run that still goes on is
 * left alone, and the tick to the others. While the store cannot be asked, the call is repeated
 * until the next tick comes: an outage of a minute does not cost the run of the day.
 */
final class TickedJob {

  private static final Logger LOG = LoggerFactory.getLogger(TickedJob.class);
  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final long LAST_RETRY_MILLIS = 30_000;

  /** How a job is run. */
  record Terms(
      String name,
      Duration lease,
      Duration atMostFor,
      Duration atLeastFor,
      int retryElsewhere,
      BeforeCommit beforeCommit) {}

  /** A call for a tick; {@code begun} once the body runs here. */
  private static final class Call {

    final Job.Tick tick;
    volatile boolean begun;
    volatile boolean givenUp;
    volatile @Nullable CompletableFuture<?> future;

    /** Completes when what was asked last is answered: after the run, if there is one. */
    volatile CompletableFuture<@Nullable Void> answered = CompletableFuture.completedFuture(null);

    Call(Job.Tick tick) {
      this.tick = tick;
    }

    void giveUp() {
      givenUp = true;
      CompletableFuture<?> waiting = future;
      if (waiting != null && !begun) {
        waiting.cancel(false);
      }
    }
  }

  private final Terms terms;
  private final Supplier<Pawl> pawl;
  private final BooleanSupplier accepts;
  private final Runnable body;
  private final AtomicReference<@Nullable Call> current = new AtomicReference<>();
  private final AtomicReference<@Nullable Job> job = new AtomicReference<>();

  TickedJob(Terms terms, Supplier<Pawl> pawl, BooleanSupplier accepts, Runnable body) {
    this.terms = terms;
    this.pawl = pawl;
    this.accepts = accepts;
    this.body = body;
  }

  String name() {
    return terms.name();
  }

  /** Calls for a tick, unless a run goes on here; returns at once. */
  void fire(Job.Tick tick) {
    if (!accepts.getAsBoolean()) {
      return;
    }
    Call call = new Call(tick);
    while (true) {
      Call before = current.get();
      if (before != null && (before.begun || before.tick.equals(tick))) {
        LOG.debug("job={} tick={} is left to others: the last call goes on", name(), tick);
        return;
      }
      if (current.compareAndSet(before, call)) {
        if (before != null) {
          before.giveUp();
        }
        ask(call, FIRST_RETRY_MILLIS);
        return;
      }
    }
  }

  /** Refuses at the start what every tick would be refused for. */
  void check() {
    try {
      var unused = job();
    } catch (RuntimeException e) {
      throw new SetupException("job \"" + name() + "\" cannot run: " + e.getMessage(), e);
    }
  }

  private Job job() {
    Job known = job.get();
    if (known != null) {
      return known;
    }
    Pawl node = pawl.get();
    LockOptions options = node.lock(name()).options();
    Job made =
        node.job(name(), terms.lease().isZero() ? options : options.withLease(terms.lease()));
    if (!terms.atMostFor().isZero()) {
      made = made.atMostFor(terms.atMostFor());
    }
    if (!terms.atLeastFor().isZero()) {
      made = made.atLeastFor(terms.atLeastFor());
    }
    made = made.retryElsewhere(terms.retryElsewhere());
    job.set(made);
    return made;
  }

  private void ask(Call call, long retryMillis) {
    CompletableFuture<@Nullable Void> answered = new CompletableFuture<>();
    call.answered = answered; // The body may begin before the call for it returns.
    CompletableFuture<Job.Outcome<@Nullable Void>> asked;
    try {
      asked = job().runOrStandBy(call.tick, run -> work(call, run));
    } catch (RuntimeException e) {
      answered.complete(null);
      failed(call, e, retryMillis);
      return;
    }
    call.future = asked;
    if (call.givenUp && !call.begun) {
      asked.cancel(false);
    }
    var unused =
        asked.whenComplete(
            (outcome, error) -> {
              if (error == null || asked.isCancelled()) {
                LOG.debug("job={} tick={} outcome={}", name(), call.tick, outcome);
                current.compareAndSet(call, null);
              } else {
                failed(
                    call,
                    error instanceof CompletionException e ? e.getCause() : error,
                    retryMillis);
              }
              answered.complete(null);
            });
  }

  private void work(Call call, Job.Run run) {
    call.begun = true;
    if (!accepts.getAsBoolean()) { // It was granted while the context began to close.
      run.leave("its application is ending");
      return;
    }
    Runnable takeOff = HeldLocks.add(new HeldLocks.HeldRun(run, terms.beforeCommit()));
    try {
      CurrentRun.during(run, body);
    } finally {
      takeOff.run();
    }
  }

  private void failed(Call call, @Nullable Throwable error, long retryMillis) {
    boolean isOutage =
        error instanceof StoreUnavailableException || error instanceof OutcomeUnknownException;
    if (!isOutage || call.givenUp || !accepts.getAsBoolean()) {
      current.compareAndSet(call, null);
      if (accepts.getAsBoolean()) {
        LOG.warn("job={} tick={} does not run here: {}", name(), call.tick, "" + error);
      }
      return;
    }
    LOG.warn(
        "job={} tick={} is asked for again in {} ms: {}",
        name(),
        call.tick,
        retryMillis,
        "" + error);
    CompletableFuture.delayedExecutor(retryMillis, TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              if (current.get() == call && accepts.getAsBoolean()) {
                ask(call, Math.min(2 * retryMillis, LAST_RETRY_MILLIS));
              } else {
                current.compareAndSet(call, null);
              }
            });
  }

  /** Gives up a call that waits; returns what completes when one that runs has ended. */
  CompletableFuture<?> stop() {
    Call call = current.get();
    if (call == null) {
      return CompletableFuture.completedFuture(null);
    }
    call.giveUp();
    return call.begun ? call.answered : CompletableFuture.completedFuture(null);
  }
}
