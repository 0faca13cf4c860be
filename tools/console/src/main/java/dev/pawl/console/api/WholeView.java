package dev.pawl.console.api;

import dev.pawl.console.json.Json;
import dev.pawl.console.watch.Shared;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A page that is small enough to be sent as a whole whenever something on it has changed. */
final class WholeView implements View {

  private final List<Shared<?>> sources;
  private final Supplier<Optional<Map<String, @Nullable Object>>> content;
  private final Supplier<Optional<Instant>> now;
  private Map<String, @Nullable Object> sent = Map.of();

  WholeView(
      List<Shared<?>> sources,
      Supplier<Optional<Instant>> now,
      Supplier<Optional<Map<String, @Nullable Object>>> content) {
    this.sources = sources;
    this.now = now;
    this.content = content;
  }

  @Override
  public List<Shared<?>> sources() {
    return sources;
  }

  @Override
  public Optional<String> next() {
    Optional<Map<String, @Nullable Object>> found = content.get();
    if (found.isEmpty() || found.get().equals(sent)) {
      return Optional.empty();
    }
    sent = found.get();
    Map<String, @Nullable Object> message = Json.object("now", now.get());
    message.putAll(sent);
    return Optional.of(Json.forBrowsers(message));
  }
}
