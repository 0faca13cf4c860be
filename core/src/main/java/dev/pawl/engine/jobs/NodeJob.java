package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Futures;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.link.Pace;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Calls;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A job of a node: asks for a tick, and says how that ended. */
public final class NodeJob implements Job {

  private final Engine engine;
  private final Calls calls;
  private final String name;
  private final LockOptions options;
  private final Runnable requireInspect;
  private final RunTerms terms;
  private final JobJournal journal;
  private final MissedTicks missed;
  private final NotRun notRun;
  private final JobGate gate;
  private final JobWatch watch;

  public NodeJob(Engine engine, String name, LockOptions options, Runnable requireInspect) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.name = name;
    this.options = options;
    this.requireInspect = requireInspect;
    this.terms = RunTerms.DEFAULT;
    this.journal = new JobJournal(engine, PREFIX + name);
    this.missed = new MissedTicks(engine, journal, name);
    this.notRun = new NotRun(engine, journal, missed, name);
    this.gate = new JobGate(engine, name);
    this.watch = new JobWatch(engine, name);
  }

  private NodeJob(NodeJob from, RunTerms terms, MissedTicks missed) {
    this.engine = from.engine;
    this.calls = from.calls;
    this.name = from.name;
    this.options = from.options;
    this.requireInspect = from.requireInspect;
    this.terms = terms;
    this.journal = from.journal;
    this.missed = missed;
    this.notRun = from.notRun.with(missed);
    this.gate = from.gate;
    this.watch = from.watch;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Job atMostFor(Duration most) {
    return with(terms.withMost(most));
  }

  @Override
  public Job atLeastFor(Duration least) {
    return with(terms.withLeast(least));
  }

  @Override
  public Job retryElsewhere(int times) {
    return with(terms.withRetries(times));
  }

  @Override
  public Job onMissed(Consumer<? super Missed> listener) {
    requireInspect.run();
    return new NodeJob(this, terms, missed.toldTo(Objects.requireNonNull(listener, "listener")));
  }

  private Job with(RunTerms changed) {
    return new NodeJob(this, changed, missed);
  }

  // Asking for a tick.

  @Override
  public <T extends @Nullable Object> Outcome<T> run(Tick tick, Body<T> body) {
    check(tick, body);
    if (engine.isClosed()) {
      throw engine.closedException();
    }
    try {
      return runHere(tick, body);
    } catch (RuntimeException | Error e) {
      watch.failed(e);
      throw e;
    }
  }

  private <T extends @Nullable Object> Outcome<T> runHere(Tick tick, Body<T> body) {
    while (true) {
      Due due = answered("the last tick", due(tick, true));
      CallResult outcome = due.isDue() ? called(request(due)) : new CallResult.Done(due.tick());
      if (due.isDue() && isToBeAskedAgain(outcome, tick)) {
        continue;
      }
      if (!(outcome instanceof CallResult.Done done)) {
        return concluded(outcome, new Asked(name, due, tick, false, due.tick()), body);
      }
      Asked again = new Asked(name, due, tick, true, done.mark());
      return answered("its operators", gate.mayRunAgain(again, true))
          ? concluded(called(requestAgain()), again, body)
          : answered("its last runs", watch.told(notRun.done(again)));
    }
  }

  private CallResult called(Request request) {
    Calls.Call call = calls.uninterrupted(request, false, 0);
    if (call.outcome() instanceof CallResult.Failed failed) {
      throw calls.failure(call.caller(), failed);
    }
    return call.outcome();
  }

  private <T extends @Nullable Object> Outcome<T> concluded(
      CallResult outcome, Asked asked, Body<T> body) {
    if (!(outcome instanceof CallResult.Held held)) {
      return answered(
          "its last runs", watch.told(notRun.refused((CallResult.Refused) outcome, asked)));
    }
    Admission admission;
    try {
      admission = answered("its operators", gate.admission(asked, true));
    } catch (RuntimeException | Error e) {
      engine.releaseInBackground(held.lease());
      throw e;
    }
    if (!admission.isGiven()) {
      return answered(
          "its last runs", watch.told(notRun.turnedAway(held.lease(), admission, asked)));
    }
    CompletableFuture<Outcome<T>> end = watch.told(run(held.lease(), admission, asked, body));
    return Futures.awaitDone(end, engine.link().pace().responseNanos())
        ? answered("its last runs", end)
        : RunEnd.unknown(engine, held.lease(), null);
  }

  /** Null, or what this store cannot do, must not use up a tick. */
  private void check(Tick tick, Body<?> body) {
    Objects.requireNonNull(tick, "tick");
    Objects.requireNonNull(body, "body");
    if (tick instanceof Tick.Every) {
      requireInspect.run();
    }
  }

  /** Somebody has done a tick since this one was made of the last: another may be due by now. */
  static boolean isToBeAskedAgain(CallResult outcome, Tick tick) {
    return outcome instanceof CallResult.Done && tick instanceof Tick.Every;
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<Outcome<T>> runOrStandBy(
      Tick tick, Body<T> body) {
    check(tick, body);
    if (engine.isClosed()) {
      return CompletableFuture.failedFuture(engine.closedException());
    }
    StandBy<T> standBy = new StandBy<>(engine, this, tick, body);
    standBy.start();
    return standBy.result();
  }

  Request request(Due due) {
    return new Request(
        PREFIX + name,
        Command.EVERYTHING,
        Command.EVERYTHING,
        options,
        OptionalLong.of(due.claimed()));
  }

  /**
   * Returns what asks for a tick that is done, and may be run again: the name, whatever its mark.
   */
  Request requestAgain() {
    return Request.exclusive(PREFIX + name, options);
  }

  JobGate gate() {
    return gate;
  }

  NotRun notRun() {
    return notRun;
  }

  JobWatch watch() {
    return watch;
  }

  /** Returns which tick to ask for; of a period, by the store's last one and its clock (I12). */
  CompletableFuture<Due> due(Tick tick, boolean mayBlock) {
    if (tick instanceof Tick.Every every) {
      return Question.ask(engine.link(), mayBlock, store -> store.find(PREFIX + name))
          .thenCombine(
              Question.ask(engine.link(), mayBlock, LockStore::nowMicros),
              (found, micros) ->
                  Due.of(
                      every,
                      found.map(LockInfo::mark).orElse(OptionalLong.empty()),
                      micros / 1_000));
    }
    return CompletableFuture.completedFuture(Due.at((Tick.At) tick));
  }

  private <T> T answered(String what, CompletableFuture<T> answer) {
    Pace pace = engine.link().pace();
    if (!Futures.awaitDone(answer, pace.responseNanos() + pace.attemptNanos())) {
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
      if (cause instanceof IllegalArgumentException refused) {
        throw refused;
      }
      throw Failures.unexpected("job " + Names.quote(name) + ": " + what, cause);
    }
  }

  /** Runs the body in this thread. */
  <T extends @Nullable Object> CompletableFuture<Outcome<T>> run(
      HeldLease lease, Admission admission, Asked asked, Body<T> body) {
    JobRun run = new JobRun(engine, journal, name, terms, lease, asked, admission);
    if (run.isTooFarAhead()) {
      return notRun.tooFarAhead(lease, run.tick());
    }
    return run.call(
        body,
        asked.again()
            ? CompletableFuture.completedFuture(false)
            : missed.lookBefore(asked.due(), asked.tick()));
  }

  @Override
  public String toString() {
    return "job " + Names.quote(name);
  }
}
