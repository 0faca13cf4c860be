package dev.pawl.engine.locks;

import dev.pawl.Job;
import dev.pawl.Pawl.Monitor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The monitors of a node as one: one for the length of a call, though others come and go. */
final class AllMonitors implements Monitor {

  private static final Logger LOG = LoggerFactory.getLogger(AllMonitors.class);

  private final Monitor[] monitors;

  private AllMonitors(List<Monitor> monitors) {
    this.monitors = monitors.toArray(new Monitor[0]);
  }

  static AllMonitors with(@Nullable AllMonitors before, Monitor added) {
    List<Monitor> all = new ArrayList<>(before == null ? List.of() : List.of(before.monitors));
    all.add(added);
    return new AllMonitors(all);
  }

  static @Nullable AllMonitors without(@Nullable AllMonitors before, Monitor removed) {
    List<Monitor> all = new ArrayList<>(before == null ? List.of() : List.of(before.monitors));
    all.remove(removed);
    return all.isEmpty() ? null : new AllMonitors(all);
  }

  @Override
  public @Nullable Object began(String name) {
    if (monitors.length == 1) {
      return began(monitors[0], name);
    }
    @Nullable Object[] each = new @Nullable Object[monitors.length];
    for (int i = 0; i < each.length; i++) {
      each[i] = began(monitors[i], name);
    }
    return each;
  }

  private static @Nullable Object began(Monitor monitor, String name) {
    try {
      return monitor.began(name);
    } catch (Throwable e) { // An error, too: the call is made all the same.
      log(e);
      return null;
    }
  }

  @Override
  public void ended(@Nullable Object began, String name, Ending ending, long tookNanos) {
    for (int i = 0; i < monitors.length; i++) {
      Object its =
          monitors.length > 1 && began instanceof @Nullable Object[] each ? each[i] : began;
      try {
        monitors[i].ended(its, name, ending, tookNanos);
      } catch (Throwable e) {
        log(e);
      }
    }
  }

  @Override
  public void released(String name, long heldNanos) {
    for (Monitor monitor : monitors) {
      try {
        monitor.released(name, heldNanos);
      } catch (Throwable e) {
        log(e);
      }
    }
  }

  @Override
  public void lost(String name, long heldNanos) {
    for (Monitor monitor : monitors) {
      Events.guarded(() -> monitor.lost(name, heldNanos));
    }
  }

  @Override
  public <T> T run(Job.Run run, Job.Body<T> body) throws Exception {
    Job.Body<T> outermost = body;
    for (Monitor monitor : monitors) {
      Job.Body<T> inner = outermost;
      outermost = its -> monitor.run(its, inner);
    }
    return outermost.run(run);
  }

  @Override
  public void ran(String job, Job.Outcome<?> outcome) {
    for (Monitor monitor : monitors) {
      Events.guarded(() -> monitor.ran(job, outcome));
    }
  }

  @Override
  public void failed(String job, Ending ending) {
    for (Monitor monitor : monitors) {
      Events.guarded(() -> monitor.failed(job, ending));
    }
  }

  @Override
  public void missed(Job.Missed missed) {
    for (Monitor monitor : monitors) {
      Events.guarded(() -> monitor.missed(missed));
    }
  }

  private static void log(Throwable thrown) {
    LOG.warn("a monitor threw", thrown);
  }
}
