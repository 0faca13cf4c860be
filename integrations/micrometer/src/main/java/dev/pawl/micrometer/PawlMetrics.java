package dev.pawl.micrometer;

import dev.pawl.Pawl;
import dev.pawl.Pawl.Counts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The metrics of one node: what its calls for locks come to, what it holds, what it asks of its
 * store, and how its jobs end.
 *
 * <pre>{@code
 * PawlMetrics metrics = new PawlMetrics(pawl).withNames("invoice-run", "sms");
 * metrics.bindTo(registry);
 * }</pre>
 *
 * <p>A name of a lock or a job is a tag only if it is one of {@link #withNames}: names such as
 * {@code invoice:42} would make a time series for each invoice. The meters are listed in the guide,
 * with a dashboard and alerts.
 *
 * <p>Where a registry has several nodes, each needs a tag of its own: {@link #withTags}.
 */
public final class PawlMetrics implements MeterBinder, AutoCloseable {

  private final Pawl pawl;
  private final Tags tags;
  private final Set<String> names;
  private final List<Runnable> monitored = new CopyOnWriteArrayList<>();

  /** The metrics of that node, with no names. */
  public PawlMetrics(Pawl pawl) {
    this(Objects.requireNonNull(pawl, "pawl"), Tags.empty(), Set.of());
  }

  private PawlMetrics(Pawl pawl, Tags tags, Set<String> names) {
    this.pawl = pawl;
    this.tags = tags;
    this.names = names;
  }

  /** Returns these metrics with tags that all of its meters have. */
  public PawlMetrics withTags(Iterable<Tag> more) {
    return new PawlMetrics(pawl, tags.and(more), names);
  }

  /**
   * Returns these metrics with a tag {@code name}: one of these, for a lock or a job of that name,
   * and {@code other} for all the rest.
   */
  public PawlMetrics withNames(String... few) {
    return withNames(List.of(few));
  }

  /**
   * Returns these metrics with a tag {@code name}: one of these, for a lock or a job of that name,
   * and {@code other} for all the rest.
   */
  public PawlMetrics withNames(Collection<String> few) {
    return new PawlMetrics(pawl, tags, Set.copyOf(few));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Counts counts = pawl.counts();
    monitored.add(pawl.monitor(new CallMeters(registry, tags, names, counts)));
    for (Counts.Kind kind : Counts.Kind.values()) {
      Tags ofKind = tags.and("kind", text(kind));
      Gauge.builder("pawl.held", counts, now -> now.held(kind))
          .description("Leases that this node holds now")
          .tags(ofKind)
          .strongReference(true)
          .register(registry);
      Gauge.builder("pawl.waiting", counts, now -> now.waiting(kind))
          .description("Callers of this node that wait now")
          .tags(ofKind)
          .strongReference(true)
          .register(registry);
    }
    if (pawl.store().mode().isPresent()) {
      bindMode(registry);
    }
    FunctionCounter.builder("pawl.renewals.failed", counts, Counts::failedRenewals)
        .description("Renewals of leases and of places in a queue that failed")
        .tags(tags)
        .register(registry);
    for (Counts.Call call : Counts.Call.values()) {
      for (Counts.Answer answer : Counts.Answer.values()) {
        FunctionCounter.builder("pawl.store.calls", counts, now -> now.storeCalls(call, answer))
            .description("Calls to the store")
            .tags(tags.and("call", text(call), "outcome", text(answer)))
            .register(registry);
      }
    }
  }

  /** One gauge for each mode, of which one is 1: how Prometheus shows a state. */
  private void bindMode(MeterRegistry registry) {
    for (String mode : List.of("primary", "leaving", "backup", "returning")) {
      Gauge.builder(
              "pawl.mode", pawl.store(), store -> store.mode().equals(Optional.of(mode)) ? 1 : 0)
          .description("Where the locks of a primary and its backup are")
          .tags(tags.and("mode", mode))
          .strongReference(true)
          .register(registry);
    }
  }

  /** Has no more calls measured; the meters stay in their registry, as they are. */
  @Override
  public void close() {
    monitored.forEach(Runnable::run);
    monitored.clear();
  }

  static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
