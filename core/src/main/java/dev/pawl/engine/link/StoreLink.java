package dev.pawl.engine.link;

import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.threads.Platform;
import dev.pawl.engine.time.Timed;
import dev.pawl.engine.time.TimerQueue;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A node's way to its store: each call is made on the right thread, and what has to be answered is
 * repeated until it is.
 */
public final class StoreLink {

  /** Is told of calls that the store did not answer. */
  public interface FailureListener {
    void storeFailed(String name, String operation, Throwable cause);
  }

  private final LockStore store;
  private final StoreCalls calls = new StoreCalls();
  private final LockStore counted;
  private final String label;
  private final Pace pace;
  private final Platform platform;
  private final TimerQueue timers;
  private final FailureListener failures;

  /** The thread that fires timers, while it does. */
  private volatile @Nullable Thread firing;

  /** When a call that had stood in line for a thread was answered the last time. */
  private volatile long lineMovedNanos;

  private final Set<Ending<?>> endings = ConcurrentHashMap.newKeySet();
  private final Set<Question<?>> questions = ConcurrentHashMap.newKeySet();

  /** Whether no timer fires any more, so that nothing is repeated. */
  private volatile boolean closed;

  /**
   * Makes the link.
   *
   * @param label what people call the node
   * @param onDue is given what the timers find to be due
   */
  public StoreLink(
      LockStore store,
      String label,
      Pace pace,
      Platform platform,
      Consumer<List<Timed>> onDue,
      FailureListener failures) {
    this.store = store;
    this.counted = new CountedStore(store, calls);
    this.label = label;
    this.pace = pace;
    this.platform = platform;
    this.lineMovedNanos = platform.ticker().nanos();
    this.timers = new TimerQueue(platform.ticker(), platform.scheduler(), due -> fire(due, onDue));
    this.failures = failures;
  }

  // Calls.

  /**
   * Calls the store, in this thread if it may block or the store does not. The one that fires
   * timers never may: what follows on a timeout is done by it.
   */
  public <T> CompletionStage<T> call(
      boolean mayBlock, Function<LockStore, CompletionStage<T>> command) {
    boolean isHere = mayBlock && Thread.currentThread() != firing;
    if (isHere || !store.blocking()) {
      return invoke(command);
    }
    CompletionStage<T> answer = call(platform.io(), command);
    whenDone(
        answer,
        (value, error) -> {
          if (error == null) {
            lineMovedNanos = now();
          }
        });
    return answer;
  }

  /** Returns when a call that had stood in line for a thread was answered the last time. */
  public long lineMovedNanos() {
    return lineMovedNanos;
  }

  private void fire(List<Timed> due, Consumer<List<Timed>> onDue) {
    firing = Thread.currentThread();
    try {
      onDue.accept(due);
    } finally {
      firing = null;
    }
  }

  /** Sends renewals, which do not stand in line with anything else: a lease hangs on them. */
  public CompletionStage<List<RenewReply>> renew(
      Function<LockStore, CompletionStage<List<RenewReply>>> command) {
    return store.blocking() ? call(platform.renewals(), command) : invoke(command);
  }

  private <T> CompletionStage<T> call(
      Executor executor, Function<LockStore, CompletionStage<T>> command) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      executor.execute(
          () -> whenDone(invoke(command), (value, error) -> pass(value, error, result)));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(new StoreUnavailableException(label + " is closed", e));
    } catch (Throwable e) { // It was not sent, for want of a thread most likely: an outage of ours.
      result.completeExceptionally(
          new StoreUnavailableException(
              label
                  + " found no thread for the call ("
                  + e.getMessage()
                  + "); look at the limits of threads and memory (ulimit -u, pids.max)",
              e));
    }
    return result;
  }

  private static <T> void pass(
      @Nullable T value, @Nullable Throwable error, CompletableFuture<T> to) {
    if (error == null) {
      to.complete(value);
    } else {
      to.completeExceptionally(error);
    }
  }

  private <T> CompletionStage<T> invoke(Function<LockStore, CompletionStage<T>> command) {
    try {
      return command.apply(counted);
    } catch (RuntimeException | Error e) { // A driver that lacks a class throws no exception.
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Has a stage's end handled; a handler that throws is a bug, and is not swallowed. */
  public <T> void whenDone(
      CompletionStage<T> stage, BiConsumer<@Nullable T, @Nullable Throwable> handler) {
    var unused =
        stage.whenComplete(
            (value, error) -> {
              try {
                handler.accept(value, error);
              } catch (Throwable e) {
                platform.bugs().accept(e);
              }
            });
  }

  // What is repeated until it is answered.

  /** Remembers an ending that was not answered at once. */
  void onUnanswered(Ending<?> ending) {
    endings.add(ending);
    if (closed) {
      ending.abandon();
    }
  }

  void onEnded(Ending<?> ending) {
    endings.remove(ending);
    timers.cancel(ending);
  }

  void onAsked(Question<?> question) {
    questions.add(question);
    if (closed) { // An answer may come all the same, as to the last words of a run.
      CompletableFuture.delayedExecutor(pace.responseNanos(), TimeUnit.NANOSECONDS)
          .execute(question::abandon);
    }
  }

  boolean isClosed() {
    return closed;
  }

  void onAnswered(Question<?> question) {
    questions.remove(question);
    timers.cancel(question);
  }

  void failed(String name, String operation, Throwable cause) {
    failures.storeFailed(name, operation, cause);
  }

  /** Waits for what is under way, but not for an outage to end; then gives it up. */
  public void close() {
    CompletableFuture<?>[] answers =
        endings.stream().map(Ending::answer).toArray(CompletableFuture[]::new);
    Futures.awaitDone(CompletableFuture.allOf(answers), pace.closingNanos());
    // No timer ends them any more.
    closed = true;
    List.copyOf(endings).forEach(Ending::abandon);
    List.copyOf(questions).forEach(Question::abandon);
  }

  public IllegalStateException closedException() {
    return new IllegalStateException("this Pawl (" + label + ") is closed; connect a new one");
  }

  // What the parts share.

  public LockStore store() {
    return store;
  }

  public StoreCalls calls() {
    return calls;
  }

  public TimerQueue timers() {
    return timers;
  }

  public Pace pace() {
    return pace;
  }

  public long now() {
    return platform.ticker().nanos();
  }
}
