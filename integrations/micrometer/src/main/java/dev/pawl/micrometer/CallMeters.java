package dev.pawl.micrometer;

import dev.pawl.Job;
import dev.pawl.Pawl;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Measures the calls of a node, by the few names that have meters of their own. */
final class CallMeters implements Pawl.Monitor {

  /** What names are called that have no meters of their own. */
  private static final String OTHER = "other";

  private final Map<String, NameMeters> named;
  private final NameMeters others;

  /** A function counter keeps nothing alive, and would stand still when this is garbage. */
  @SuppressWarnings("unused")
  private final Pawl.Counts counts;

  CallMeters(MeterRegistry registry, Tags tags, Set<String> names, Pawl.Counts counts) {
    this.counts = counts;
    Map<String, NameMeters> made = new HashMap<>();
    names.forEach(name -> made.put(name, new NameMeters(registry, tags.and("name", name))));
    this.named = Map.copyOf(made);
    this.others = new NameMeters(registry, names.isEmpty() ? tags : tags.and("name", OTHER));
  }

  private NameMeters of(String name) {
    return named.isEmpty() ? others : named.getOrDefault(name, others);
  }

  @Override
  public void ended(@Nullable Object began, String name, Ending ending, long tookNanos) {
    of(name).onEnded(ending, tookNanos);
  }

  @Override
  public void released(String name, long heldNanos) {
    of(name).onReleased(heldNanos);
  }

  @Override
  public void lost(String name, long heldNanos) {
    of(withoutPrefix(name)).onLost();
  }

  private static String withoutPrefix(String name) {
    return name.startsWith(Job.PREFIX) ? name.substring(Job.PREFIX.length()) : name;
  }

  @Override
  public void ran(String job, Job.Outcome<?> outcome) {
    of(job).onRan(outcome);
  }

  @Override
  public void failed(String job, Ending ending) {
    of(job).onFailed(ending);
  }

  @Override
  public void missed(Job.Missed missed) {
    of(missed.job()).onMissed(missed.ticks());
  }
}
