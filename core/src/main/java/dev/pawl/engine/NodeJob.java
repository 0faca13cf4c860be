package dev.pawl.engine;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A job of a node: asks for a tick, and says how that ended. */
final class NodeJob implements Job {

  /**
   * What a job is told about its runs.
   *
   * @param most the longest run, or zero for no bound
   */
  record Terms(Duration most, Duration least, int retries) {}

  private static final int MOST_RETRIES = 50;

  private final Engine engine;
  private final Calls calls;
  private final String name;
  private final LockOptions options;
  private final Runnable requireInspect;
  private final Terms terms;
  private final JobJournal journal;
  private final MissedTicks missed;

  NodeJob(Engine engine, String name, LockOptions options, Runnable requireInspect) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.name = name;
    this.options = options;
    this.requireInspect = requireInspect;
    this.terms = new Terms(Duration.ZERO, Duration.ZERO, 0);
    this.journal = new JobJournal(engine, PREFIX + name);
    this.missed = new MissedTicks(engine, journal, name);
  }

  private NodeJob(NodeJob from, Terms terms, MissedTicks missed) {
    this.engine = from.engine;
    this.calls = from.calls;
    this.name = from.name;
    this.options = from.options;
    this.requireInspect = from.requireInspect;
    this.terms = terms;
    this.journal = from.journal;
    this.missed = missed;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Job atMostFor(Duration most) {
    checkTime("atMostFor", most);
    return with(new Terms(most, terms.least(), terms.retries()));
  }

  @Override
  public Job atLeastFor(Duration least) {
    checkTime("atLeastFor", least);
    return with(new Terms(terms.most(), least, terms.retries()));
  }

  @Override
  public Job retryElsewhere(int times) {
    if (times < 0 || times > MOST_RETRIES) {
      throw new IllegalArgumentException("times is " + times + "; allowed is 0 to " + MOST_RETRIES);
    }
    return with(new Terms(terms.most(), terms.least(), times));
  }

  @Override
  public Job onMissed(Consumer<? super Missed> listener) {
    requireInspect.run();
    return new NodeJob(this, terms, missed.toldTo(listener));
  }

  private Job with(Terms changed) {
    return new NodeJob(this, changed, missed);
  }

  private static void checkTime(String what, Duration time) {
    if (time.compareTo(LockOptions.MIN_LEASE) < 0 || time.compareTo(LockOptions.MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          what
              + " is "
              + time
              + "; allowed is "
              + LockOptions.MIN_LEASE
              + " to "
              + LockOptions.MAX_LEASE);
    }
  }

  // Asking for a tick.

  @Override
  public <T extends @Nullable Object> Outcome<T> run(Tick tick, Body<T> body) {
    if (engine.isClosed()) {
      throw engine.closedException();
    }
    CompletableFuture<Long> cut = mark(tick, true);
    long mark = answered("the store's time", cut);
    Calls.Call call = calls.uninterrupted(request(mark), false, 0);
    if (call.outcome() instanceof dev.pawl.engine.Outcome.Failed failed) {
      throw calls.failure(call.waiter(), failed);
    }
    CompletableFuture<Outcome<T>> end = conclude(call.outcome(), mark, tick, body);
    if (call.outcome() instanceof dev.pawl.engine.Outcome.Held held
        && !Waiting.forDone(end, engine.pace().responseNanos())) {
      return JobRun.unknown(engine, held.lease(), null);
    }
    return answered("its last runs", end);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<Outcome<T>> runOrStandBy(
      Tick tick, Body<T> body) {
    if (engine.isClosed()) {
      return CompletableFuture.failedFuture(engine.closedException());
    }
    CompletableFuture<Outcome<T>> result = new CompletableFuture<>();
    engine.whenDone(
        mark(tick, false),
        (mark, error) -> {
          if (mark == null) {
            fail(result, error == null ? new IllegalStateException("no time") : error);
          } else if (!result.isCancelled()) {
            standBy(mark, tick, body, result);
          }
        });
    return result;
  }

  private <T extends @Nullable Object> void standBy(
      long mark, Tick tick, Body<T> body, CompletableFuture<Outcome<T>> result) {
    Waiter waiter = new Waiter(request(mark), null, false, engine.now(), Waiter.NO_DEADLINE);
    AtomicBoolean decided = new AtomicBoolean();
    engine.whenDone(
        waiter.outcome,
        (outcome, error) -> {
          if (outcome instanceof dev.pawl.engine.Outcome.Failed failed) {
            fail(result, calls.failure(waiter, failed));
          } else if (outcome != null) {
            onThread(
                () -> {
                  // A cancelled call's grant is given back by whoever gave the call up.
                  if (decided.compareAndSet(false, true)) {
                    finish(outcome, mark, tick, body, result);
                  }
                },
                why -> {
                  giveBack(outcome);
                  fail(result, why);
                });
          }
        });
    engine.start(waiter, false);
    engine.whenDone(
        result,
        (ended, error) -> {
          if (result.isCancelled() && decided.compareAndSet(false, true)) {
            engine.giveUp(waiter);
          }
        });
  }

  private <T extends @Nullable Object> void finish(
      dev.pawl.engine.Outcome outcome,
      long mark,
      Tick tick,
      Body<T> body,
      CompletableFuture<Outcome<T>> result) {
    engine.whenDone(
        conclude(outcome, mark, tick, body),
        (ended, error) -> {
          if (ended == null) {
            fail(result, error == null ? new IllegalStateException("no outcome") : error);
          } else if (!engine.events().run(() -> result.complete(ended))) {
            result.complete(ended);
          }
        });
  }

  private void onThread(Runnable action, Consumer<RuntimeException> otherwise) {
    RuntimeException why = engine.startBody(action);
    if (why != null) {
      otherwise.accept(why);
    }
  }

  private void giveBack(dev.pawl.engine.Outcome outcome) {
    if (outcome instanceof dev.pawl.engine.Outcome.Held held) {
      engine.releaseInBackground(held.lease());
    }
  }

  private void fail(CompletableFuture<?> result, Throwable error) {
    Throwable cause = Failures.unwrap(error);
    if (!engine.events().run(() -> result.completeExceptionally(cause))) {
      result.completeExceptionally(cause);
    }
  }

  private Request request(long mark) {
    return new Request(
        PREFIX + name, Command.EVERYTHING, Command.EVERYTHING, options, OptionalLong.of(mark));
  }

  /** Returns the mark of a tick: its milliseconds, by the store's clock where it is cut (I12). */
  private CompletableFuture<Long> mark(Tick tick, boolean mayBlock) {
    if (tick instanceof Tick.Every every) {
      long period = every.period().toMillis();
      return Question.ask(engine, mayBlock, LockStore::nowMicros)
          .thenApply(micros -> micros / 1_000 / period * period);
    }
    return CompletableFuture.completedFuture(((Tick.At) tick).time().toEpochMilli());
  }

  private <T> T answered(String what, CompletableFuture<T> answer) {
    if (!Waiting.forDone(answer, engine.pace().responseNanos())) {
      throw new OutcomeUnknownException(
          "job "
              + Names.quote(name)
              + ": no answer about "
              + what
              + " from "
              + engine.store().describe(),
          null);
    }
    try {
      return answer.join();
    } catch (CompletionException e) {
      Throwable cause = Failures.unwrap(e);
      if (cause instanceof Error error) {
        throw error;
      }
      throw Failures.unexpected("job " + Names.quote(name) + ": " + what, cause);
    }
  }

  // Saying how it ended.

  private <T extends @Nullable Object> CompletableFuture<Outcome<T>> conclude(
      dev.pawl.engine.Outcome outcome, long mark, Tick tick, Body<T> body) {
    Instant time = Instant.ofEpochMilli(mark);
    if (outcome instanceof dev.pawl.engine.Outcome.Held held) {
      CompletableFuture<Boolean> looked = missed.lookBefore(mark, tick);
      return new JobRun(engine, journal, name, terms, held.lease(), time, looked).call(body);
    }
    if (outcome instanceof dev.pawl.engine.Outcome.Done done) {
      return journal
          .runs()
          .exceptionally(unread -> List.of())
          .thenApply(runs -> alreadyDone(runs, time, tick, done.mark()));
    }
    missed.onRefused(mark);
    return CompletableFuture.completedFuture(
        runningElsewhere(((dev.pawl.engine.Outcome.Refused) outcome).contention()));
  }

  private <T extends @Nullable Object> Outcome<T> alreadyDone(
      List<JobJournal.Noted> runs, Instant time, Tick tick, long mark) {
    if (tick instanceof Tick.At && mark > time.toEpochMilli()) {
      missed.onPassedOver(time, runs);
    }
    Optional<JobJournal.Noted> run =
        runs.stream()
            .filter(noted -> noted.isOf(time) && noted.run().ending().endsItsTick())
            .findFirst();
    return new Outcome.AlreadyDone<>(
        Instant.ofEpochMilli(mark),
        run.map(noted -> noted.run().node()),
        run.map(JobJournal.Noted::at));
  }

  private static <T extends @Nullable Object> Outcome<T> runningElsewhere(
      @Nullable Contention contention) {
    return contention == null || contention.holders() == 0
        ? new Outcome.RunningElsewhere<>(Optional.empty(), Optional.empty())
        : new Outcome.RunningElsewhere<>(
            Optional.of(contention.holder()),
            Optional.of(Instant.EPOCH.plus(contention.sinceMicros(), ChronoUnit.MICROS)));
  }

  @Override
  public String toString() {
    return "job " + Names.quote(name);
  }
}
