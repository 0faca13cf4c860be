package dev.pawl.engine.locks;

import dev.pawl.LeaseLostException;
import dev.pawl.PawlException;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.link.Futures;
import dev.pawl.engine.link.Pace;
import dev.pawl.engine.link.StoreLink;
import dev.pawl.engine.threads.Platform;
import dev.pawl.engine.time.Seldom;
import dev.pawl.engine.time.TimerQueue;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one node consists of: its queues, its timers, and the way to its store. */
public final class Engine {

  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private final String node;
  private final String label;
  private final Platform platform;
  private final StoreLink link;
  private final LeaseKeeper keeper;
  private final HandOver handOver;
  private final Events events;
  private final WaitWatch watch;
  private final ThreadHolds holds;
  private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();
  private final AtomicLong claims = new AtomicLong();
  private final LockStore.Subscription subscription;
  private final Vigilance vigilance;
  private final Seldom ticksAhead = new Seldom();
  private volatile boolean closed;

  /**
   * Makes a node, which hears of its store's signals from now on.
   *
   * @param node its random id
   * @param label what people call it
   * @param watch makes what looks after threads that wait for each other
   */
  public Engine(
      LockStore store,
      String node,
      String label,
      Duration responseTimeout,
      Platform platform,
      Vigilance vigilance,
      Function<Engine, WaitWatch> watch) {
    this.node = node;
    this.label = label;
    this.platform = platform;
    this.vigilance = vigilance;
    this.keeper = new LeaseKeeper(this);
    this.handOver = new HandOver(this);
    this.events = new Events(this);
    Pace pace = new Pace(responseTimeout.toNanos(), platform.random());
    this.link = new StoreLink(store, label, pace, platform, keeper::onDue, events::storeFailed);
    this.holds = new ThreadHolds(this);
    this.watch = watch.apply(this);
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
  public void start(Caller caller, boolean mayBlock) {
    String name = caller.request.name();
    while (!queues.computeIfAbsent(name, n -> new LocalQueue(this, n)).join(caller, mayBlock)) {
      Thread.onSpinWait(); // It ended between the two calls; the next one is new.
    }
  }

  /** Releases a lease and waits for the store's answer, but not for an outage to end. */
  void release(HeldLease lease) {
    Ending<ReleaseReply> ending = lease.claim().queue().release(lease, true);
    if (ending == null) {
      if (lease.claim().queue().reportLoss(lease)) {
        throw lease.lost();
      }
      return;
    }
    CompletableFuture<ReleaseReply> answer = ending.answer();
    if (!Futures.awaitDone(answer, link.pace().closingNanos())
        || answer.isCompletedExceptionally()) {
      LOG.warn("{} could not be released yet; it ends with its lease at the latest", lease);
      events.storeFailed(lease.name(), "release", Futures.failureOf(answer));
    } else if (answer.join() == ReleaseReply.GONE
        && !ending.isRepeated()
        && now() - lease.claim().deadlineNanos() < 0) {
      throw goneAtRelease(lease); // If it came later, the lease lasted until it was closed.
    }
  }

  /** Releases a lease; the future tells whether the store still had it. */
  public CompletableFuture<Boolean> releaseAsync(HeldLease lease) {
    Ending<ReleaseReply> ending = lease.claim().queue().release(lease, false);
    return ending == null
        ? CompletableFuture.completedFuture(!lease.claim().queue().reportLoss(lease))
        : ending.answer().thenApply(reply -> reply == ReleaseReply.RELEASED || ending.isRepeated());
  }

  /** Releases a lease that nobody waits for; what goes wrong is logged where it is noticed. */
  public void releaseInBackground(HeldLease lease) {
    var unused = releaseAsync(lease);
  }

  private LeaseLostException goneAtRelease(HeldLease lease) {
    String reason = "when it was released, the store no longer knew it";
    events.lost(lease, reason, false, List.of(), Signal.Lost.NOBODY_WAITS);
    return lease.lost(reason);
  }

  /** Releases what is held, refuses what waits, and ends the node's threads. */
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    while (!queues.isEmpty()) { // A caller who has just come may have been passed over.
      queues.values().forEach(LocalQueue::close);
    }
    link.close();
    subscription.close();
    platform.shutdown().run();
  }

  // Queues, claims and the store.

  public ClaimId nextClaimId() {
    return new ClaimId(node, claims.incrementAndGet());
  }

  void forget(String name, LocalQueue queue) {
    queues.remove(name, queue);
  }

  /** Returns what a claim of this node holds a name by, or null if it does not. */
  public @Nullable HeldLease leaseOf(String name, ClaimId claim) {
    LocalQueue queue = queues.get(name);
    return queue == null ? null : queue.leaseOf(claim);
  }

  /** Tells whether anybody of this node holds what such a request asks for. */
  boolean isHeldHere(Request request) {
    LocalQueue queue = queues.get(request.name());
    return queue != null && queue.isHeldAs(request);
  }

  /** Returns how many callers of this node wait for a name. */
  public int waiting(String name) {
    LocalQueue queue = queues.get(name);
    return queue == null ? 0 : queue.waiting();
  }

  Collection<LocalQueue> queues() {
    return queues.values();
  }

  /** Returns the names that this node has anything to do with. */
  public Set<String> namesInUse() {
    return queues.keySet();
  }

  /** Tells of every lease that callers of this node have. */
  public void forEachLease(Consumer<HeldLease> action) {
    queues.values().forEach(queue -> queue.leases().forEach(action));
  }

  Ending<ReleaseReply> ending(Command.Release command, LocalClaim claim) {
    return ending(claim, store -> store.release(command));
  }

  Ending<CancelReply> ending(Command.Cancel command, LocalClaim claim) {
    return ending(claim, store -> store.cancel(command));
  }

  /** What ends a claim in the store, repeated for as long as that may have it. */
  <R> Ending<R> ending(LocalClaim claim, Function<LockStore, CompletionStage<R>> command) {
    return new Ending<>(link, claim.request.name(), claim.longestNanos(), command);
  }

  /** Starts a body of the user; returns why it could not be started, or null. */
  public @Nullable RuntimeException startBody(Runnable body) {
    try {
      platform.bodies().execute(body);
      return null;
    } catch (RejectedExecutionException e) {
      return closedException();
    } catch (Throwable e) { // OutOfMemoryError, where no thread can be made.
      return new PawlException(label + " could not start a thread: " + e.getMessage(), e);
    }
  }

  private void onSignal(Signal signal) {
    if (signal instanceof Signal.Granted granted) {
      deliver(signal, granted.name(), granted.grant().claim().counter());
    } else if (signal instanceof Signal.Done done) {
      deliver(signal, done.name(), done.claim().counter());
    } else if (signal instanceof Signal.Summoned summoned) {
      deliver(signal, summoned.name(), summoned.claim().counter());
    } else if (signal instanceof Signal.Evicted evicted) {
      deliver(signal, evicted.name(), evicted.claim().counter());
    } else if (signal instanceof Signal.Lost lost) {
      deliver(signal, lost.name(), lost.claim().counter());
    } else if (signal instanceof Signal.Changed changed) {
      deliver(signal, changed.name(), -1);
    } else if (signal instanceof Signal.ModeChanged changed) {
      events.modeChanged(changed.name(), changed.mode(), changed.reason());
    } else {
      queues.values().forEach(queue -> queue.onSignal(signal, -1));
    }
  }

  private void deliver(Signal signal, String name, long claim) {
    LocalQueue queue = queues.get(name);
    if (queue != null) {
      queue.onSignal(signal, claim);
    } else if (signal instanceof Signal.Lost lost) {
      lost.told().run(); // Nobody counts on it.
    }
  }

  // What the parts share.

  public StoreLink link() {
    return link;
  }

  public LockStore store() {
    return link.store();
  }

  public TimerQueue timers() {
    return link.timers();
  }

  public long now() {
    return link.now();
  }

  public String node() {
    return node;
  }

  public String label() {
    return label;
  }

  public Platform platform() {
    return platform;
  }

  /** Returns which jobs have been warned of whose last tick is ahead of the store's clock. */
  public Seldom ticksAhead() {
    return ticksAhead;
  }

  public Events events() {
    return events;
  }

  LeaseKeeper keeper() {
    return keeper;
  }

  HandOver handOver() {
    return handOver;
  }

  WaitWatch watch() {
    return watch;
  }

  Vigilance vigilance() {
    return vigilance;
  }

  ThreadHolds holds() {
    return holds;
  }

  public boolean isClosed() {
    return closed;
  }

  public IllegalStateException closedException() {
    return link.closedException();
  }

  String actor(@Nullable Thread thread) {
    return thread == null ? "" : watch.actor(thread);
  }
}
