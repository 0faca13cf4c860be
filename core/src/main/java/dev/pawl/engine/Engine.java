package dev.pawl.engine;

import dev.pawl.LeaseLostException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one node consists of: its queues, its timers, and the way to its store. */
final class Engine {

  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private final LockStore store;
  private final String node;
  private final String label;
  private final Pace pace;
  private final Platform platform;
  private final TimerQueue timers;
  private final Events events;
  private final DeadlockWatch watch;
  private final ThreadHolds holds;
  private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();
  private final Set<Ending<?>> endings = ConcurrentHashMap.newKeySet();
  private final Set<Question<?>> questions = ConcurrentHashMap.newKeySet();
  private final AtomicLong claims = new AtomicLong();
  private final LockStore.Subscription subscription;
  private final Vigilance vigilance;
  private volatile boolean closed;

  Engine(LockStore store, String node, String label, Duration responseTimeout, Platform platform) {
    this(store, node, label, responseTimeout, platform, Vigilance.NONE);
  }

  Engine(
      LockStore store,
      String node,
      String label,
      Duration responseTimeout,
      Platform platform,
      Vigilance vigilance) {
    this.store = store;
    this.vigilance = vigilance;
    this.node = node;
    this.label = label;
    this.pace = new Pace(responseTimeout.toNanos(), platform.random());
    this.platform = platform;
    this.timers =
        new TimerQueue(platform.ticker(), platform.scheduler(), new LeaseKeeper(this)::onDue);
    this.events = new Events(this);
    this.watch = new DeadlockWatch(this);
    this.holds = new ThreadHolds(this);
    this.subscription =
        store.subscribe(
            node,
            signal -> {
              try {
                onSignal(signal);
              } catch (Throwable e) {
                platform.bugs().accept(e); // Ours, and not to be thrown at the store's thread.
              }
            });
  }

  // Callers.

  /** Starts a call; its outcome may be there at once. */
  void start(Waiter waiter, boolean mayBlock) {
    String name = waiter.request.name();
    while (!queues.computeIfAbsent(name, n -> new LocalQueue(this, n)).join(waiter, mayBlock)) {
      Thread.onSpinWait(); // It ended between the two calls; the next one is new.
    }
  }

  /** Waits for a call's outcome in its own thread. */
  Outcome await(Waiter waiter, boolean interruptible) throws InterruptedException {
    CompletableFuture<Outcome> outcome = waiter.outcome;
    if (outcome.isDone()) {
      return outcome.join();
    }
    boolean interrupted = false;
    watch.enter(waiter);
    try {
      while (true) {
        try {
          return outcome.get();
        } catch (InterruptedException e) {
          if (interruptible) {
            giveBack(waiter);
            throw e;
          }
          interrupted = true;
        } catch (ExecutionException e) {
          throw new IllegalStateException(e);
        }
      }
    } finally {
      watch.exit(waiter);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Ends the call of a thread that was interrupted, and returns when nothing of it is left: its
   * claim is cancelled, and what it was given at the last moment is given back.
   */
  private void giveBack(Waiter waiter) {
    leave(waiter);
    Waiting.forDone(waiter.outcome, Long.MAX_VALUE);
    if (waiter.outcome.join() instanceof Outcome.Held held) {
      try {
        release(held.lease());
      } catch (LeaseLostException e) {
        LOG.debug("what {} was given when it was interrupted is lost already", waiter.thread, e);
      }
    }
  }

  /** Ends a call that nobody wants the outcome of; what it was given meanwhile is given back. */
  void giveUp(Waiter waiter) {
    if (waiter.queue != null && !leave(waiter)) {
      whenDone(
          waiter.outcome,
          (outcome, error) -> {
            if (outcome instanceof Outcome.Held held) {
              releaseInBackground(held.lease());
            }
          });
    }
  }

  /**
   * Takes a call out of its line, because nobody wants its outcome any more; false if it stands in
   * none, or has ended already.
   */
  boolean leave(Waiter waiter) {
    LocalQueue queue = waiter.queue;
    return queue != null
        && queue.leave(
            waiter, new Outcome.Refused(() -> "nobody waits any more", null), pace.attemptNanos());
  }

  /** Releases a lease and waits for the store's answer, but not for an outage to end. */
  void release(HeldLease lease) {
    Ending<ReleaseReply> ending = lease.claim().queue.release(lease, true);
    if (ending == null) {
      if (lease.claim().queue.reportLoss(lease)) {
        throw lease.lost();
      }
      return;
    }
    CompletableFuture<ReleaseReply> answer = ending.answer();
    if (!Waiting.forDone(answer, pace.responseNanos()) || answer.isCompletedExceptionally()) {
      LOG.warn("{} could not be released yet; it ends with its lease at the latest", lease);
      events.storeFailed(lease.name(), "release", Waiting.failureOf(answer));
    } else if (answer.join() == ReleaseReply.GONE
        && !ending.isRepeated()
        && now() - lease.claim().deadlineNanos < 0) {
      throw goneAtRelease(lease); // If it came later, the lease lasted until it was closed.
    }
  }

  /** Releases a lease; the future tells whether the store still had it. */
  CompletableFuture<Boolean> releaseAsync(HeldLease lease) {
    Ending<ReleaseReply> ending = lease.claim().queue.release(lease, false);
    return ending == null
        ? CompletableFuture.completedFuture(!lease.claim().queue.reportLoss(lease))
        : ending.answer().thenApply(reply -> reply == ReleaseReply.RELEASED || ending.isRepeated());
  }

  /** Releases a lease that nobody waits for; what goes wrong is logged where it is noticed. */
  void releaseInBackground(HeldLease lease) {
    var unused = releaseAsync(lease);
  }

  private LeaseLostException goneAtRelease(HeldLease lease) {
    String reason = "when it was released, the store no longer knew it";
    events.lost(lease, reason, false, List.of());
    return lease.lost(reason);
  }

  /** Releases what is held, refuses what waits, and ends the node's threads. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    while (!queues.isEmpty()) { // A caller who has just come may have been passed over.
      queues.values().forEach(LocalQueue::close);
    }
    CompletableFuture<?>[] answers =
        endings.stream().map(Ending::answer).toArray(CompletableFuture[]::new);
    Waiting.forDone(CompletableFuture.allOf(answers), pace.responseNanos());
    // No timer ends them any more.
    List.copyOf(endings).forEach(Ending::abandon);
    List.copyOf(questions).forEach(Question::abandon);
    subscription.close();
    platform.shutdown().run();
  }

  // Queues, claims and the store.

  ClaimId nextClaimId() {
    return new ClaimId(node, claims.incrementAndGet());
  }

  void forget(String name, LocalQueue queue) {
    queues.remove(name, queue);
  }

  /** Returns what a claim of this node holds a name by, or null if it does not. */
  @Nullable HeldLease holder(String name, ClaimId claim) {
    LocalQueue queue = queues.get(name);
    return queue == null ? null : queue.leaseOf(claim);
  }

  /** Tells whether anybody of this node holds what such a request asks for. */
  boolean isHeldHere(Request request) {
    LocalQueue queue = queues.get(request.name());
    return queue != null && queue.isHeldAs(request);
  }

  /** Returns how many callers of this node wait for a name. */
  int waiting(String name) {
    LocalQueue queue = queues.get(name);
    return queue == null ? 0 : queue.waiting();
  }

  Collection<LocalQueue> queues() {
    return queues.values();
  }

  Ending<ReleaseReply> ending(Command.Release command, Request request) {
    return new Ending<>(this, request, s -> s.release(command));
  }

  Ending<CancelReply> ending(Command.Cancel command, Request request) {
    return new Ending<>(this, request, s -> s.cancel(command));
  }

  /** The end of a job's run, whose name is kept for a while; tells whether its tick is done. */
  Ending<TickEnd.Result> ending(
      Command.Release release, Request request, long keepMicros, long heldUntilMicros) {
    Command.Acquire keeper =
        keepMicros <= 0
            ? null
            : new Command.Acquire(
                request.name(),
                nextClaimId(),
                request.permits(),
                request.capacity(),
                keepMicros,
                1,
                OptionalLong.empty(),
                false,
                request.options().fair(),
                label,
                "");
    return new Ending<>(this, request, new TickEnd(release, keeper, heldUntilMicros));
  }

  /** Remembers an ending that was not answered at once. */
  void onUnanswered(Ending<?> ending) {
    endings.add(ending);
  }

  void onEnded(Ending<?> ending) {
    endings.remove(ending);
    timers.cancel(ending);
  }

  void onAsked(Question<?> question) {
    questions.add(question);
    timers.set(question, now() + pace.responseNanos());
  }

  void onAnswered(Question<?> question) {
    questions.remove(question);
    timers.cancel(question);
  }

  /** Calls the store, in this thread if it may block or the store does not. */
  <T> CompletionStage<T> call(boolean mayBlock, Function<LockStore, CompletionStage<T>> command) {
    return mayBlock || !store.blocking() ? invoke(command) : call(platform.io(), command);
  }

  /** Sends renewals, which do not stand in line with anything else: a lease hangs on them. */
  CompletionStage<List<RenewReply>> renew(
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
          new StoreUnavailableException(label + " found no thread for the call: " + e, e));
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

  /** Has a stage's end handled; a handler that throws is a bug, and is not swallowed. */
  <T> void whenDone(
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

  /** Starts a body of the user; returns why it could not be started, or null. */
  @Nullable RuntimeException startBody(Runnable body) {
    try {
      platform.bodies().execute(body);
      return null;
    } catch (RejectedExecutionException e) {
      return closedException();
    } catch (Throwable e) { // OutOfMemoryError, where no thread can be made.
      return new PawlException(label + " could not start a thread: " + e.getMessage(), e);
    }
  }

  private <T> CompletionStage<T> invoke(Function<LockStore, CompletionStage<T>> command) {
    try {
      return command.apply(store);
    } catch (RuntimeException | Error e) { // A driver that lacks a class throws no exception.
      return CompletableFuture.failedFuture(e);
    }
  }

  private void onSignal(Signal signal) {
    if (signal instanceof Signal.Granted granted) {
      deliver(signal, granted.name(), granted.grant().claim().counter());
    } else if (signal instanceof Signal.Done done) {
      deliver(signal, done.name(), done.claim().counter());
    } else if (signal instanceof Signal.Evicted evicted) {
      deliver(signal, evicted.name(), evicted.claim().counter());
    } else if (signal instanceof Signal.Lost lost) {
      deliver(signal, lost.name(), lost.claim().counter());
    } else if (signal instanceof Signal.Changed changed) {
      deliver(signal, changed.name(), -1);
    } else {
      queues.values().forEach(queue -> queue.onSignal(signal, -1));
    }
  }

  private void deliver(Signal signal, String name, long claim) {
    LocalQueue queue = queues.get(name);
    if (queue != null) {
      queue.onSignal(signal, claim);
    }
  }

  // What the parts share.

  LockStore store() {
    return store;
  }

  String node() {
    return node;
  }

  String label() {
    return label;
  }

  TimerQueue timers() {
    return timers;
  }

  Vigilance vigilance() {
    return vigilance;
  }

  ThreadHolds holds() {
    return holds;
  }

  Events events() {
    return events;
  }

  Platform platform() {
    return platform;
  }

  boolean isClosed() {
    return closed;
  }

  IllegalStateException closedException() {
    return new IllegalStateException("this Pawl (" + label + ") is closed; connect a new one");
  }

  String actor(@Nullable Thread thread) {
    return thread == null ? "" : watch.actor(thread);
  }

  Pace pace() {
    return pace;
  }

  long now() {
    return platform.ticker().nanos();
  }
}
