package dev.pawl.engine.locks;

import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.Pawl.Monitor;
import dev.pawl.engine.claims.Request;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who watches the calls of a node. They are told in threads of the user, and otherwise on those for
 * callbacks: nothing in the engine waits for them.
 */
public final class Monitors {

  private final Events events;
  private final AtomicReference<@Nullable AllMonitors> all = new AtomicReference<>();

  Monitors(Events events) {
    this.events = events;
  }

  public Runnable add(Monitor monitor) {
    all.updateAndGet(before -> AllMonitors.with(before, monitor));
    return () -> all.updateAndGet(before -> AllMonitors.without(before, monitor));
  }

  /** Returns who watches a job; null if nobody does. */
  public @Nullable Monitor ofJobs() {
    return all.get();
  }

  /** Returns who watches calls for such a request; null if nobody does. */
  @Nullable Monitor of(Request request) {
    Monitor now = all.get();
    return now != null && isOfALock(request) ? now : null;
  }

  private static boolean isOfALock(Request request) {
    return request.mark().isEmpty() && !request.name().startsWith(Election.PREFIX);
  }

  /** Tells how long a lease was held, in the thread that closed it if that is a caller's. */
  void released(HeldLease lease, long heldNanos, boolean inCallersThread) {
    Monitor now = of(lease.request());
    if (now == null) {
      return;
    }
    if (inCallersThread) {
      now.released(lease.name(), heldNanos);
    } else {
      events.run(() -> now.released(lease.name(), heldNanos));
    }
  }

  void lost(HeldLease lease, long heldNanos) {
    later(monitor -> monitor.lost(lease.name(), heldNanos));
  }

  public void ran(String job, Job.Outcome<?> outcome) {
    later(monitor -> monitor.ran(job, outcome));
  }

  public void failed(String job, Monitor.Ending ending) {
    later(monitor -> monitor.failed(job, ending));
  }

  public void missed(Job.Missed missed) {
    later(monitor -> monitor.missed(missed));
  }

  private void later(Consumer<Monitor> told) {
    Monitor now = all.get();
    if (now != null) {
      events.run(() -> told.accept(now));
    }
  }
}
