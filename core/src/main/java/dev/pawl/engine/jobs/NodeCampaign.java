package dev.pawl.engine.jobs;

import dev.pawl.Election;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Calls;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.threads.Shift;
import dev.pawl.engine.time.Timed;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's standing for election: waits, leads, and stands again, until it is closed. At most one
 * body of a campaign runs at a time, even if its term was lost long ago.
 */
public final class NodeCampaign extends Timed implements Election.Campaign {

  private static final Logger LOG = LoggerFactory.getLogger(NodeCampaign.class);

  /** How long it pauses after a term or an outage, so that a body that fails does not spin. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Engine engine;
  private final Calls calls;
  private final Request request;
  private final Election.Leader leader;

  private @Nullable Caller caller;
  private @Nullable HeldLease term;
  private boolean closed;

  public NodeCampaign(Engine engine, Request request, Election.Leader leader) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.request = request;
    this.leader = leader;
  }

  public void stand() {
    Caller candidate = new Caller(request, null, false, engine.now(), Caller.NO_DEADLINE);
    lock.lock();
    try {
      if (closed || engine.isClosed()) {
        return;
      }
      caller = candidate;
    } finally {
      lock.unlock();
    }
    engine.link().whenDone(candidate.outcome, (outcome, error) -> onOutcome(candidate, outcome));
    engine.start(candidate, false);
    if (isClosed()) {
      calls.leave(candidate); // The close may have found it in no line yet.
    }
  }

  private void onOutcome(Caller candidate, @Nullable CallResult outcome) {
    if (!(outcome instanceof CallResult.Held held)) {
      if (outcome instanceof CallResult.Failed failed && !engine.isClosed()) {
        RuntimeException why = calls.failure(candidate, failed); // Listeners hear of it.
        LOG.warn("election {} goes on: {}", request.name(), why.getMessage());
      }
      standAgainLater();
      return;
    }
    RuntimeException notStarted = engine.startBody(() -> lead(held.lease()));
    if (notStarted != null) {
      if (!engine.isClosed()) {
        LOG.warn("{} is given up, nobody can lead: {}", held.lease(), notStarted.getMessage());
      }
      stepDown(held.lease());
    }
  }

  private void stepDown(HeldLease lease) {
    engine.link().whenDone(engine.releaseAsync(lease), (released, error) -> standAgainLater());
  }

  private void lead(HeldLease lease) {
    boolean wanted;
    lock.lock();
    try {
      caller = null;
      wanted = !closed;
      term = wanted ? lease : null;
    } finally {
      lock.unlock();
    }
    if (wanted) {
      serve(lease);
    }
    stepDown(lease);
  }

  private void serve(HeldLease lease) {
    Shift shift = new Shift();
    try {
      lease.work(
          shift,
          () -> {
            if (isClosed()) {
              return true; // It was closed before there was anything to interrupt.
            }
            leader.lead(new Term(lease));
            return true;
          });
    } catch (Throwable e) { // An error, too: nobody would lead, and nobody else be elected.
      if (!shift.isInterrupted()) {
        LOG.warn("the leader of {} threw, and steps down", lease, e);
      }
    } finally {
      lock.lock();
      try {
        term = null;
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  private void standAgainLater() {
    lock.lock();
    try {
      if (!closed && !engine.isClosed()) {
        engine.timers().set(this, engine.now() + PAUSE_NANOS);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void fire(long nowNanos) {
    stand();
  }

  @Override
  public boolean isLeading() {
    lock.lock();
    try {
      return term != null && term.isHeld();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    Caller waiting;
    HeldLease leading;
    lock.lock();
    try {
      closed = true;
      engine.timers().cancel(this);
      waiting = caller;
      caller = null;
      leading = term;
    } finally {
      lock.unlock();
    }
    if (leading != null) {
      leading.interruptWork();
    } else if (waiting != null) {
      calls.giveUp(waiting);
    }
  }

  private record Term(HeldLease lease) implements Election.Term {

    @Override
    public long token() {
      return lease.token();
    }

    @Override
    public boolean isHeld() {
      return lease.isHeld();
    }

    @Override
    public void ensureHeld() {
      lease.ensureHeld();
    }

    @Override
    public void onLost(Runnable action) {
      lease.onLost(action);
    }
  }
}
