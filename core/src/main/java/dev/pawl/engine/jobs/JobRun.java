package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.Pawl;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.threads.Shift;
import dev.pawl.engine.time.Timed;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a job under its lease, and what the store is told about its end. */
final class JobRun implements Job.Run {

  private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

  /** Hosts in any time zone, and days of business that have begun elsewhere. */
  private static final Duration MOST_AHEAD = Duration.ofDays(1);

  private final Engine engine;
  private final JobJournal journal;
  private final String job;
  private final RunTerms terms;
  private final HeldLease lease;
  private final Asked asked;
  private final Admission admission;
  private final Instant tick;
  private final long startMicros;
  private volatile @Nullable String left;

  JobRun(
      Engine engine,
      JobJournal journal,
      String job,
      RunTerms terms,
      HeldLease lease,
      Asked asked,
      Admission admission) {
    this.engine = engine;
    this.journal = journal;
    this.job = job;
    this.terms = terms;
    this.lease = lease;
    this.asked = asked;
    this.admission = admission;
    this.tick = asked.time();
    this.startMicros = lease.storeMicros(lease.sinceNanos);
  }

  /** Tells whether the tick is a mistake: with it, the job would not run again for long. */
  boolean isTooFarAhead() {
    return startMicros > 0 && tick.toEpochMilli() - startMicros / 1_000 > MOST_AHEAD.toMillis();
  }

  /**
   * Runs the body in this thread; the future has the outcome when the store knows of it.
   *
   * @param mayRaise when the mark may be raised
   */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> call(
      Job.Body<T> body, CompletableFuture<?> mayRaise) {
    RunEnd end = new RunEnd(engine, journal, terms, lease, asked, admission, startMicros, mayRaise);
    if (!lease.isHeld()) {
      return end.lost(); // While the store was asked whether it may begin.
    }
    Bound bound = new Bound();
    if (!terms.most().isZero()) {
      engine.timers().set(bound, lease.sinceNanos + terms.most().toNanos());
    }
    Shift shift = new Shift();
    boolean interrupted = false;
    try {
      T result = lease.work(shift, () -> watched(body));
      interrupted = Thread.interrupted(); // A driver may not bear it: it is set again at the end.
      return end.completed(result, left);
    } catch (Exception e) {
      interrupted |= Thread.interrupted();
      interrupted |= e instanceof InterruptedException && !shift.isInterrupted();
      if (!shift.isInterrupted()) {
        log(e);
      }
      return end.failed(e, left);
    } catch (Error e) {
      interrupted |= Thread.interrupted();
      log(e);
      var unused = end.failed(new IllegalStateException(e), left);
      return CompletableFuture.failedFuture(e);
    } finally {
      engine.timers().cancel(bound);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T extends @Nullable Object> T watched(Job.Body<T> body) throws Exception {
    Pawl.Monitor monitor = engine.events().monitors().ofJobs();
    return monitor == null ? body.run(this) : monitor.run(this, body);
  }

  /** Here, and nowhere else: many a caller does not look at the outcome. */
  private void log(Throwable error) {
    LOG.warn(
        "job {} failed on {}, tick {}, token {}: {}",
        Names.quote(job),
        engine.label(),
        tick,
        token(),
        error,
        error);
  }

  @Override
  public String job() {
    return job;
  }

  @Override
  public Instant tick() {
    return tick;
  }

  @Override
  public long token() {
    return lease.token();
  }

  @Override
  public boolean isHeld() {
    return lease.isHeld();
  }

  @Override
  public Duration remaining() {
    return lease.remaining();
  }

  @Override
  public void ensureHeld() {
    lease.ensureHeld();
  }

  @Override
  public void confirm() {
    lease.confirm();
  }

  @Override
  public void onLost(Runnable action) {
    lease.onLost(action);
  }

  @Override
  public void leave(String reason) {
    left = Objects.requireNonNull(reason, "reason");
  }

  /** The end of the time a run may take. */
  private final class Bound extends Timed {
    @Override
    public void fire(long nowNanos) {
      lease.expire("it ran for longer than atMostFor, " + DurationText.format(terms.most()));
    }
  }
}
