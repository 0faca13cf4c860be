package dev.pawl.engine.deadlocks;

import dev.pawl.DeadlockException;
import dev.pawl.LockInfo;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.locks.WaitWatch;
import dev.pawl.engine.time.Timed;
import dev.pawl.spi.ClaimId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks for cycles of threads that wait for each other, in all nodes.
 *
 * <p>An edge of the wait-for graph goes from a thread that holds a name to the name it waits for. A
 * thread that has waited for two seconds publishes its edges: the claims it holds are renewed with
 * its wait in their actor. Then it walks from the name it waits for to that name's holders, to what
 * they wait for, and so on, one look-up a step. If the walk comes back to the thread, and does so
 * again by the same edges at the next look, they all exist at the same time: it is a deadlock.
 * Every thread of the cycle sees the same one; the one that began to wait last is told to give up.
 * A thread that wants some of a semaphore's permits does not wait for a holder of others while one
 * of the holders waits for nothing. A lease that is not renewed would end the circle by itself, but
 * only by being lost.
 *
 * <p>All of this is done on a thread of its own, and not on the one that renews. What a thread
 * holds is looked for once for each wait, for all threads that have waited for two seconds
 * together: while it waits it takes nothing else. A thread that holds nothing costs no more after
 * that.
 */
public final class DeadlockWatch extends Timed implements WaitWatch {

  static final long LOOK_NANOS = 2_000_000_000;
  private static final long MOST_LOOK_NANOS = 30_000_000_000L;

  private final Engine engine;

  /** The calls whose threads wait, and whether what those hold has been looked for. */
  private final ConcurrentMap<Caller, Boolean> blocked = new ConcurrentHashMap<>();

  private final AtomicBoolean armed = new AtomicBoolean();

  /** The waits that others can see, by thread. */
  private final ConcurrentMap<Long, Look> published = new ConcurrentHashMap<>();

  public DeadlockWatch(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void enter(Caller caller) {
    blocked.put(caller, false);
    arm(LOOK_NANOS);
  }

  private void arm(long delayNanos) {
    if (armed.compareAndSet(false, true)) {
      engine.timers().set(this, engine.now() + delayNanos);
    }
  }

  @Override
  public void exit(Caller caller) {
    blocked.remove(caller);
    Thread thread = caller.thread;
    if (thread != null && !published.isEmpty()) {
      Look look = published.remove(thread.getId());
      if (look != null) {
        look.renewHolds();
      }
    }
  }

  @Override
  public String actor(Thread thread) {
    return published.isEmpty() ? Actor.textOf(thread) : actorOf(thread).toString();
  }

  private Actor actorOf(Thread thread) {
    Look look = published.get(thread.getId());
    Actor actor = Actor.of(thread);
    return look == null ? actor : actor.waitingFor(look.caller.request, look.sinceMicros);
  }

  @Override
  public void fire(long now) {
    armed.set(false);
    try {
      engine.platform().search().execute(this::lookAround);
    } catch (Throwable e) { // No thread can be made for a moment, or the node is closed.
      arm(LOOK_NANOS);
    }
  }

  private void lookAround() {
    long now = engine.now();
    publish(now);
    WaitForGraph graph = new WaitForGraph(this::find, this::localActor);
    for (Look look : published.values()) {
      if (now - look.nextNanos >= 0 && !look.walking) {
        walk(look, graph);
      }
    }
    if (!blocked.isEmpty()) {
      arm(LOOK_NANOS / 2);
    }
  }

  /** Shows the waits of threads that hold something and have waited for long by now. */
  private void publish(long now) {
    Map<Thread, Caller> late = new HashMap<>();
    blocked.forEach(
        (caller, examined) -> {
          Thread thread = caller.thread;
          if (!examined && thread != null && now - caller.startedNanos >= LOOK_NANOS) {
            late.put(thread, caller);
          }
        });
    if (late.isEmpty()) {
      return;
    }
    Map<Thread, List<HeldLease>> held = new HashMap<>();
    engine.forEachLease(
        lease -> {
          Thread owner = lease.owner;
          if (owner != null && late.containsKey(owner)) {
            held.computeIfAbsent(owner, key -> new ArrayList<>()).add(lease);
          }
        });
    late.forEach(
        (thread, caller) -> {
          blocked.replace(caller, true);
          List<HeldLease> leases = held.get(thread);
          if (leases != null) { // Else nobody can wait for it.
            publish(thread, caller, leases, now);
          }
        });
  }

  private void publish(Thread thread, Caller caller, List<HeldLease> leases, long now) {
    Look look = new Look(caller, thread, leases, caller.startedMicros(), now + LOOK_NANOS / 2);
    published.put(thread.getId(), look);
    if (!blocked.containsKey(caller)) { // It has got it meanwhile, and did not see what we put.
      published.remove(thread.getId(), look);
    }
    look.renewHolds();
  }

  private void walk(Look look, WaitForGraph graph) {
    look.walking = true;
    look.delayNanos = Math.min(MOST_LOOK_NANOS, look.delayNanos * 2);
    engine
        .link()
        .whenDone(
            graph.cycleFrom(look.caller.request.name(), engine.node(), actorOf(look.thread)),
            (cycle, error) -> onLooked(look, cycle));
  }

  /** Looks up a name; what is done with the answer is done on the thread of the search. */
  private CompletionStage<Optional<LockInfo>> find(String name) {
    return Question.ask(engine.link(), false, store -> store.find(name))
        .thenApplyAsync(Function.identity(), engine.platform().search());
  }

  /** Returns what a claim of this node is held by now, which the store may not know yet. */
  private @Nullable String localActor(String name, ClaimId claim) {
    HeldLease held = claim.node().equals(engine.node()) ? engine.leaseOf(name, claim) : null;
    Thread owner = held == null ? null : held.owner;
    if (held == null || owner == null) {
      return null;
    }
    Look look = published.get(owner.getId());
    boolean isItsOwn = look != null && look.caller.request.name().equals(name);
    // A thread that waits for its own lease to run out was allowed to.
    return isItsOwn && !held.isRenewed() ? Actor.textOf(owner) : actor(owner);
  }

  private void onLooked(Look look, WaitForGraph.@Nullable Cycle cycle) {
    boolean again = Objects.equals(cycle, look.seen);
    look.seen = cycle;
    look.nextNanos = engine.now() + (cycle == null ? look.delayNanos : LOOK_NANOS);
    look.walking = false;
    if (cycle != null && again && cycle.isYoungest()) {
      String message =
          "lock " + Names.quote(look.caller.request.name()) + " not acquired: deadlock, " + cycle;
      look.caller.leave(CallResult.Failed.with(() -> new DeadlockException(message)), 0);
    }
  }

  /** One thread's published wait, what it holds, and what its looks have found. */
  private static final class Look {
    final Caller caller;
    final Thread thread;
    final List<HeldLease> leases;
    final long sinceMicros;
    long delayNanos = LOOK_NANOS / 2;
    volatile long nextNanos;
    volatile boolean walking;
    volatile WaitForGraph.@Nullable Cycle seen;

    Look(Caller caller, Thread thread, List<HeldLease> leases, long sinceMicros, long nextNanos) {
      this.caller = caller;
      this.thread = thread;
      this.leases = leases;
      this.sinceMicros = sinceMicros;
      this.nextNanos = nextNanos;
    }

    /** Has the store told, with what the thread holds, whether it waits. */
    void renewHolds() {
      for (HeldLease lease : leases) {
        lease.tellNow();
      }
    }
  }
}
