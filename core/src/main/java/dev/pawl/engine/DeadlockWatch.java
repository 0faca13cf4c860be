package dev.pawl.engine;

import dev.pawl.DeadlockException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * of the holders waits for nothing.
 */
final class DeadlockWatch extends Timed {

  static final long LOOK_NANOS = 2_000_000_000;
  private static final long MOST_LOOK_NANOS = 30_000_000_000L;

  private final Engine engine;
  private final Set<Waiter> blocked = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean armed = new AtomicBoolean();

  /** The waits that others can see, by thread. */
  private final ConcurrentMap<Long, Look> published = new ConcurrentHashMap<>();

  DeadlockWatch(Engine engine) {
    this.engine = engine;
  }

  void enter(Waiter waiter) {
    blocked.add(waiter);
    arm(LOOK_NANOS);
  }

  private void arm(long delayNanos) {
    if (armed.compareAndSet(false, true)) {
      engine.timers().set(this, engine.now() + delayNanos);
    }
  }

  void exit(Waiter waiter) {
    blocked.remove(waiter);
    Thread thread = waiter.thread;
    if (thread != null && published.remove(thread.getId()) != null) {
      renewHoldsOf(thread);
    }
  }

  /** Returns what the store is told of a thread: its name, and its wait if that is published. */
  String actor(Thread thread) {
    return actorOf(thread).toString();
  }

  private Actor actorOf(Thread thread) {
    Look look = published.isEmpty() ? null : published.get(thread.getId());
    Actor actor = Actor.of(thread);
    return look == null ? actor : actor.waitingFor(look.waiter.request.name(), look.sinceMicros);
  }

  @Override
  void fire(long now, RenewalBatch batch) {
    armed.set(false);
    for (Waiter waiter : blocked) {
      Thread thread = waiter.thread;
      if (thread != null && now - waiter.startedNanos >= LOOK_NANOS) {
        lookFor(waiter, thread, now);
      }
    }
    if (!blocked.isEmpty()) {
      arm(LOOK_NANOS / 2);
    }
  }

  private void lookFor(Waiter waiter, Thread thread, long now) {
    Look look = published.get(thread.getId());
    if (look == null) {
      if (!holdsSomething(thread)) {
        return; // Nobody can wait for it.
      }
      LocalQueue queue = waiter.queue;
      look = new Look(waiter, queue == null ? 0 : queue.storeMicros(waiter.startedNanos));
      look.nextNanos = now + LOOK_NANOS / 2;
      published.put(thread.getId(), look);
      if (!blocked.contains(waiter)) { // It has got it meanwhile, and did not see what we put.
        published.remove(thread.getId(), look);
      }
      renewHoldsOf(thread);
      return;
    }
    if (now - look.nextNanos < 0 || look.walking) {
      return;
    }
    look.walking = true;
    look.delayNanos = Math.min(MOST_LOOK_NANOS, look.delayNanos * 2);
    Look at = look;
    engine.whenDone(
        new WaitForGraph(
                name -> Question.ask(engine, false, store -> store.find(name)), localActors())
            .cycleFrom(waiter.request.name(), engine.node(), actorOf(thread)),
        (cycle, error) -> onLooked(at, cycle));
  }

  private void onLooked(Look look, WaitForGraph.@Nullable Cycle cycle) {
    boolean again = Objects.equals(cycle, look.seen);
    look.seen = cycle;
    look.nextNanos = engine.now() + (cycle == null ? look.delayNanos : LOOK_NANOS);
    look.walking = false;
    LocalQueue queue = look.waiter.queue;
    if (cycle != null && again && cycle.isYoungest() && queue != null) {
      String message =
          "lock " + Names.quote(look.waiter.request.name()) + " not acquired: deadlock, " + cycle;
      queue.leave(look.waiter, Outcome.Failed.with(() -> new DeadlockException(message)));
    }
  }

  /** Returns what this node's own claims are held by now, which the store may not know yet. */
  private Map<String, String> localActors() {
    Map<String, String> actors = new HashMap<>();
    for (LocalQueue queue : engine.queues()) {
      HeldLease held = queue.holder();
      if (held != null && held.owner != null) {
        actors.put(held.claim().id.toString(), actor(held.owner));
      }
    }
    return actors;
  }

  private boolean holdsSomething(Thread thread) {
    for (LocalQueue queue : engine.queues()) {
      HeldLease held = queue.holder();
      if (held != null && held.owner == thread) {
        return true;
      }
    }
    return false;
  }

  private void renewHoldsOf(Thread thread) {
    for (LocalQueue queue : engine.queues()) {
      HeldLease held = queue.holder();
      if (held != null && held.owner == thread) {
        queue.renewNow();
      }
    }
  }

  /** One thread's published wait, and what its looks have found. */
  private static final class Look {
    final Waiter waiter;
    final long sinceMicros;
    long delayNanos = LOOK_NANOS / 2;
    volatile long nextNanos;
    volatile boolean walking;
    volatile WaitForGraph.@Nullable Cycle seen;

    Look(Waiter waiter, long sinceMicros) {
      this.waiter = waiter;
      this.sinceMicros = sinceMicros;
    }
  }
}
