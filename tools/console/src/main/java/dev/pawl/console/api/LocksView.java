package dev.pawl.console.api;

import dev.pawl.console.json.Json;
import dev.pawl.console.watch.LockRow;
import dev.pawl.console.watch.Locks;
import dev.pawl.console.watch.Shared;
import dev.pawl.console.watch.StoreWatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The part of the table that a page shows, and which of its rows have changed. */
final class LocksView implements View {

  private final StoreWatch watch;
  private final Locks.Query query;
  private final int offset;
  private final int limit;

  private Map<String, Map<String, @Nullable Object>> sent = new HashMap<>();
  private List<String> order = List.of();
  private int total = -1;

  LocksView(StoreWatch watch, Locks.Query query, int offset, int limit) {
    this.watch = watch;
    this.query = query;
    this.offset = offset;
    this.limit = limit;
  }

  @Override
  public List<Shared<?>> sources() {
    return List.of(watch.locks());
  }

  @Override
  public Optional<String> next() {
    Shared.Seen<Locks> seen = watch.locks().latest();
    Locks locks = seen.value();
    if (locks == null) {
      return Optional.empty();
    }
    List<LockRow> all = locks.select(query);
    List<Object> changed = new ArrayList<>();
    List<String> names = new ArrayList<>();
    Map<String, Map<String, @Nullable Object>> rows = new HashMap<>();
    for (LockRow row : all.subList(Math.min(offset, all.size()), end(all))) {
      Map<String, @Nullable Object> json = Rows.summary(row);
      names.add(row.name());
      rows.put(row.name(), json);
      if (!json.equals(sent.get(row.name()))) {
        changed.add(json);
      }
    }
    if (changed.isEmpty() && names.equals(order) && total == all.size()) {
      return Optional.empty();
    }
    Map<String, @Nullable Object> message = head(locks, all.size());
    message.put("read", seen.version());
    if (!names.equals(order)) {
      message.put("order", names);
    }
    message.put("rows", changed);
    sent = rows;
    order = names;
    total = all.size();
    return Optional.of(Json.forBrowsers(message));
  }

  /** Returns the whole part at once, for a program that asks once. */
  static Map<String, @Nullable Object> page(Locks locks, Locks.Query query, int offset, int limit) {
    List<LockRow> all = locks.select(query);
    Map<String, @Nullable Object> page = Json.object("now", locks.now(), "total", all.size());
    page.put("more", locks.more());
    page.put("offset", offset);
    page.put("locks", all.stream().skip(offset).limit(limit).map(Rows::summary).toList());
    return page;
  }

  private Map<String, @Nullable Object> head(Locks locks, int found) {
    return Json.object(
        "now",
        locks.now(),
        "total",
        found,
        "all",
        locks.rows().size(),
        "more",
        locks.more(),
        "offset",
        offset);
  }

  private int end(List<LockRow> all) {
    return (int) Math.min(all.size(), (long) offset + limit);
  }
}
