package dev.pawl.console.api;

import dev.pawl.console.json.Json;
import dev.pawl.console.watch.History;
import dev.pawl.console.watch.JobRow;
import dev.pawl.console.watch.Shared;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs, and which of them have changed: each has many runs, and most of them stay as they are.
 */
final class JobsView implements View {

  private final Shared<History> history;
  private final Supplier<Optional<Instant>> now;
  private Map<String, Map<String, @Nullable Object>> sent = new HashMap<>();
  private Optional<List<String>> order = Optional.empty();

  JobsView(Shared<History> history, Supplier<Optional<Instant>> now) {
    this.history = history;
    this.now = now;
  }

  @Override
  public List<Shared<?>> sources() {
    return List.of(history);
  }

  @Override
  public Optional<String> next() {
    History known = history.latest().value();
    if (known == null) {
      return Optional.empty();
    }
    Map<String, Map<String, @Nullable Object>> rows = new HashMap<>();
    List<Object> changed = new ArrayList<>();
    for (JobRow job : known.jobs()) {
      Map<String, @Nullable Object> row = Rows.job(job);
      rows.put(job.job(), row);
      if (!row.equals(sent.get(job.job()))) {
        changed.add(row);
      }
    }
    List<String> names = known.jobs().stream().map(JobRow::job).toList();
    boolean moved = !order.equals(Optional.of(names));
    if (changed.isEmpty() && !moved) {
      return Optional.empty();
    }
    Map<String, @Nullable Object> message = Json.object("now", now.get(), "jobs", changed);
    if (moved) {
      message.put("order", names);
    }
    sent = rows;
    order = Optional.of(names);
    return Optional.of(Json.forBrowsers(message));
  }
}
