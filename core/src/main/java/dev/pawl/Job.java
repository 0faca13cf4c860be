package dev.pawl;

import dev.pawl.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Work that is done once for each tick, in the whole cluster.
 *
 * <p>Every node calls {@code run} or {@code runOrStandBy} at every tick; one of them runs the body.
 * When the body has ended, the store remembers the tick, and whoever comes later with it, or with
 * an earlier one, finds it done.
 *
 * <pre>{@code
 * Job job = pawl.job("sms-reminder").atMostFor(Duration.ofMinutes(5));
 * job.run(Job.every(Duration.ofMinutes(1)), run -> sendReminders(run.token()));
 * }</pre>
 *
 * <p>A body has no result, as above, or one: {@code run -> { return count(); }} gives an {@code
 * Outcome<Integer>}. An exception of a body is logged, and is in the outcome.
 *
 * <p><b>A run can end before its body.</b> If the node stalls past its lease, or the run takes
 * longer than {@link #atMostFor}, another node may run the same tick. The body's thread is
 * interrupted then, and what it still writes is kept out by {@link Run#token()}, wherever the
 * resource checks it. A node that dies when the work is done but before the store has been told
 * leaves the tick to another one, so the body has to bear being repeated.
 *
 * <p>Operators can pause a job and have a tick run once more: {@link Inspector#pauseJob}, {@link
 * Inspector#permitRerun}.
 *
 * <p>A job is an immutable value. In the store, and for the inspector and its journal, its name is
 * {@code job:} and the job's name: a lock and a job of one name have nothing to do with each other.
 */
public interface Job {

  /** What the name of a job begins with in the store. */
  String PREFIX = "job:";

  /** Returns the name of the job, without the prefix. */
  String name();

  /**
   * Returns this job with a bound on each run: at its end the run loses its lease and is
   * interrupted, and the tick is left to the next standby. Without a bound a run lasts for as long
   * as its node is alive.
   *
   * @param most 100 ms to one day
   */
  Job atMostFor(Duration most);

  /**
   * Returns this job with its name kept for that long from the start of each run, even if the body
   * ends sooner and its node dies. Nobody else begins a run meanwhile, so that nodes that make
   * their ticks of clocks that differ by less do not both run. It does not hold back a standby that
   * was already waiting for a later tick.
   *
   * @param least 100 ms to one day
   */
  Job atLeastFor(Duration least);

  /**
   * Returns this job with ticks whose body throws left to the next standby, or whoever comes next,
   * {@code times} times at most; the next failure ends the tick. By default the first one does.
   * Failures are counted in the store's journal: one that cannot be counted ends the tick.
   *
   * @param times 0 to 50
   */
  Job retryElsewhere(int times);

  /**
   * Returns this job with {@code listener} told, on the callback executor, of ticks that nobody
   * completed in their time:
   *
   * <ul>
   *   <li>By whoever runs a later tick. Of {@link #every}, all ticks since the last one that is
   *       done: all nodes may have been down meanwhile. Of other ticks, of which nobody knows the
   *       schedule, those that this job was refused because somebody else was running, and those
   *       that the journal knows to have begun.
   *   <li>By whoever comes with a tick of a schedule that a later one has passed over.
   * </ul>
   *
   * <p>A tick can be reported more than once. Ticks after which no node ever runs the job again are
   * not reported: nobody is there to notice. It costs a round trip or two for each run.
   */
  Job onMissed(Consumer<? super Missed> listener);

  /** Runs the body in this thread, unless the tick is done or somebody else runs the job. */
  default <T extends @Nullable Object> Outcome<T> run(Instant tick, Body<T> body) {
    return run(new Tick.At(tick), body);
  }

  /** Runs a body without a result in this thread, as {@link #run(Tick, Body)} does. */
  default Outcome<@Nullable Void> run(Instant tick, Task body) {
    return run(new Tick.At(tick), body);
  }

  /** Runs a body without a result in this thread, as {@link #run(Tick, Body)} does. */
  default Outcome<@Nullable Void> run(Tick tick, Task body) {
    return run(tick, (Body<@Nullable Void>) body);
  }

  /**
   * Runs the body in this thread, unless the tick is done or somebody else runs the job.
   *
   * @throws IllegalArgumentException if the tick is more than a day ahead of the store's clock: all
   *     until then would count as done
   * @throws StoreUnavailableException if the store failed, and the body has not run
   * @throws OutcomeUnknownException if nobody knows whether this node has the tick; the body has
   *     not run here
   */
  <T extends @Nullable Object> Outcome<T> run(Tick tick, Body<T> body);

  /** Runs the body on a thread of the node, now or when whoever runs the tick dies. */
  default <T extends @Nullable Object> CompletableFuture<Outcome<T>> runOrStandBy(
      Instant tick, Body<T> body) {
    return runOrStandBy(new Tick.At(tick), body);
  }

  /** Runs a body without a result, as {@link #runOrStandBy(Tick, Body)} does. */
  default CompletableFuture<Outcome<@Nullable Void>> runOrStandBy(Instant tick, Task body) {
    return runOrStandBy(new Tick.At(tick), body);
  }

  /** Runs a body without a result, as {@link #runOrStandBy(Tick, Body)} does. */
  default CompletableFuture<Outcome<@Nullable Void>> runOrStandBy(Tick tick, Task body) {
    return runOrStandBy(tick, (Body<@Nullable Void>) body);
  }

  /**
   * Runs the body on a thread of the node as soon as nobody else runs the job, unless the tick is
   * done by then. A standby costs no thread. It takes over within the lease and a second when the
   * runner dies, and is dismissed when the runner finishes. Cancelling the future, or completing it
   * otherwise ({@code orTimeout}), ends the wait, not a body that has begun.
   */
  <T extends @Nullable Object> CompletableFuture<Outcome<T>> runOrStandBy(Tick tick, Body<T> body);

  /**
   * Returns the tick of a period that is due by the store's clock: a period after the last one that
   * is done. Nodes that call once a period, each at a time of its own and a tenth of the period
   * early or late, run it once in every period.
   */
  static Tick every(Duration period) {
    return new Tick.Every(period);
  }

  /** What a job does, with a result. */
  @FunctionalInterface
  interface Body<T extends @Nullable Object> {

    /** Does the work of one tick. */
    T run(Run run) throws Exception;
  }

  /** What a job does. */
  @FunctionalInterface
  interface Task extends Body<@Nullable Void> {

    /** Does the work of one tick. */
    void work(Run run) throws Exception;

    @Override
    @SuppressWarnings("NullAway") // It does not see that the type variable may be null.
    default @Nullable Void run(Run run) throws Exception {
      work(run);
      return null;
    }
  }

  /** One run of a job, as its body sees it. */
  interface Run {

    /** Returns the name of the job. */
    String job();

    /** Returns the tick that is run. */
    Instant tick();

    /** Returns the fencing token: higher than that of every earlier run of the job. */
    long token();

    /** Tells, without a round trip, whether this run may still count on being the only one. */
    boolean isHeld();

    /**
     * Returns how long this run may count on being the only one without renewing its lease; zero if
     * it is lost.
     */
    Duration remaining();

    /**
     * Returns only if this run may still count on being the only one.
     *
     * @throws LeaseLostException if it may not
     */
    void ensureHeld();

    /**
     * Asks the store whether this run is still the only one, and returns only if it is, as {@link
     * Lease#confirm()} does: for the moment before a commit.
     *
     * @throws LeaseLostException if it may not count on that any more
     * @throws StoreUnavailableException if the store cannot be asked; the run is as it was
     * @throws OutcomeUnknownException if it did not answer; the run is as it was
     */
    void confirm();

    /**
     * Runs {@code action} on the callback executor when the run is lost; at once if it is already.
     */
    void onLost(Runnable action);

    /**
     * Leaves the tick to another node: when the body has ended, in whatever way, the tick is not
     * done, and the next standby, or whoever comes next with it, runs it. The outcome here is
     * {@link Outcome.Left}.
     *
     * @param reason why, for those who read the journal
     */
    void leave(String reason);
  }

  /** Which run it is: ticks are compared by the millisecond. */
  sealed interface Tick {

    /** A moment of the caller's schedule, the same on every node, such as a cron time. */
    record At(Instant time) implements Tick {

      /** The last moment that every store can remember, in the year 287396. */
      public static final Instant MAX = Instant.ofEpochMilli((1L << 53) - 1);

      /** Checks that a store can remember it. */
      public At {
        Objects.requireNonNull(time, "time");
        if (time.isBefore(Instant.EPOCH) || time.isAfter(MAX)) {
          throw new IllegalArgumentException(
              "tick is " + time + "; allowed is " + Instant.EPOCH + " to " + MAX);
        }
      }
    }

    /** What is due once a period, by the store's clock; the clocks of the nodes do not matter. */
    record Every(Duration period) implements Tick {

      /** The shortest period. */
      public static final Duration MIN = Duration.ofMillis(100);

      /** The longest period: a year. */
      public static final Duration MAX = Duration.ofDays(366);

      public Every {
        DurationText.check("period", period, MIN, MAX);
      }
    }
  }

  /** How a call for a tick ended; contention is not an error. */
  sealed interface Outcome<T extends @Nullable Object> {

    /** The body ran here, and the store knows that the tick is done. */
    record Ran<T extends @Nullable Object>(T result, long token, Duration took)
        implements Outcome<T> {}

    /**
     * The tick had been done before, well or not.
     *
     * @param latest the latest tick that is done
     * @param by the label of the node that did this tick, if the journal knows
     * @param at when its run ended by the store's clock, if the journal knows
     * @param ending how its run ended, if the journal knows
     */
    record AlreadyDone<T extends @Nullable Object>(
        Instant latest, Optional<String> by, Optional<Instant> at, Optional<PastRun.Ending> ending)
        implements Outcome<T> {}

    /**
     * Another run of the job is going on, or its name is kept after one.
     *
     * @param by the label of the node that runs it; empty if nobody does and others wait for it
     * @param since since when, by the store's clock
     */
    record RunningElsewhere<T extends @Nullable Object>(
        Optional<String> by, Optional<Instant> since) implements Outcome<T> {}

    /**
     * The body ran here and did not end well: by an exception of its own; by a {@link
     * LeaseLostException} if the run was lost before it ended, so that the tick is left to another
     * node; or by an {@link OutcomeUnknownException} if it ended, but the store could not be told,
     * or another node has had the job since and may have run the tick too.
     *
     * @param retried whether the tick is left to another node
     */
    record Failed<T extends @Nullable Object>(
        Exception error, long token, Duration took, boolean retried) implements Outcome<T> {}

    /**
     * The body ran here and left its tick to another node, on purpose.
     *
     * @param reason what it said to {@link Run#leave}
     */
    record Left<T extends @Nullable Object>(String reason, long token, Duration took)
        implements Outcome<T> {}

    /**
     * An operator has paused the job: the body did not run, and the tick is not done.
     *
     * @param by who paused it
     * @param reason why
     * @param since since when, by the store's clock
     */
    record Paused<T extends @Nullable Object>(String by, String reason, Instant since)
        implements Outcome<T> {}
  }

  /**
   * Ticks that nobody completed in their time.
   *
   * @param job the name of the job
   * @param first the first of them
   * @param last the last of them
   * @param ticks how many
   */
  record Missed(String job, Instant first, Instant last, long ticks) {}
}
