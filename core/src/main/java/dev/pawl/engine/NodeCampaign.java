package dev.pawl.engine;

import dev.pawl.Election;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's standing for election: waits, leads, and stands again, until it is closed. At most one
 * body of a campaign runs at a time, even if its term was lost long ago.
 */
final class NodeCampaign extends Timed implements Election.Campaign {

  private static final Logger LOG = LoggerFactory.getLogger(NodeCampaign.class);

  /** How long it pauses after a term or an outage, so that a body that fails does not spin. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Engine engine;
  private final Calls calls;
  private final Request request;
  private final Election.Leader leader;

  private @Nullable Waiter waiter;
  private @Nullable HeldLease term;
  private boolean closed;

  NodeCampaign(Engine engine, Request request, Election.Leader leader) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.request = request;
    this.leader = leader;
  }

  void stand() {
    Waiter candidate = new Waiter(request, null, false, engine.now(), Waiter.NO_DEADLINE);
    lock.lock();
    try {
      if (closed || engine.isClosed()) {
        return;
      }
      waiter = candidate;
    } finally {
      lock.unlock();
    }
    engine.whenDone(candidate.outcome, (outcome, error) -> onOutcome(candidate, outcome));
    engine.start(candidate, false);
    if (isClosed()) {
      engine.leave(candidate); // The close may have found it in no line yet.
    }
  }

  private void onOutcome(Waiter candidate, @Nullable Outcome outcome) {
    if (!(outcome instanceof Outcome.Held held)) {
      if (outcome instanceof Outcome.Failed failed && !engine.isClosed()) {
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
    engine.whenDone(engine.releaseAsync(lease), (released, error) -> standAgainLater());
  }

  private void lead(HeldLease lease) {
    boolean wanted;
    lock.lock();
    try {
      waiter = null;
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
      shift.work(
          lease,
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
  void fire(long nowNanos, RenewalBatch batch) {
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
    Waiter waiting;
    HeldLease leading;
    lock.lock();
    try {
      closed = true;
      engine.timers().cancel(this);
      waiting = waiter;
      waiter = null;
      leading = term;
    } finally {
      lock.unlock();
    }
    if (leading != null) {
      leading.interruptWork();
    } else if (waiting != null) {
      engine.giveUp(waiting);
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
