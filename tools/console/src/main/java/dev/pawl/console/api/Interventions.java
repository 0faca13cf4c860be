package dev.pawl.console.api;

import dev.pawl.console.access.User;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.StoreWatch;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an operator may change: only what they saw, and not without a reason. */
final class Interventions {

  private final StoreWatch watch;

  Interventions(StoreWatch watch) {
    this.watch = watch;
  }

  Map<String, @Nullable Object> release(User user, String name, Map<String, String> body) {
    Fields fields = new Fields(body, Set.of("token", "reason"));
    long token = fields.number("token");
    String reason = fields.reason();
    boolean released = watch.inspector().forceRelease(name, token, user.name(), reason);
    watch.locks().refresh();
    watch.history().refresh();
    if (!released) {
      throw new Problem(409, "changed", changed(name, token));
    }
    return Json.object("released", name, "token", Long.toString(token));
  }

  private String changed(String name, long token) {
    String instead =
        watch
            .locks()
            .fresh(Duration.ZERO, Duration.ofSeconds(5))
            .find(name)
            .flatMap(row -> row.holders().stream().findFirst())
            .map(held -> "now " + held.label() + " holds it with token " + held.token())
            .orElse("now nobody holds it");
    return "the holder with token " + token + " is gone: " + instead + "; nothing was released";
  }
}
