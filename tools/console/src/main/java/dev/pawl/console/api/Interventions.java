package dev.pawl.console.api;

import dev.pawl.console.access.User;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.LockRow;
import dev.pawl.console.watch.StoreWatch;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
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
      throw changed(name, token);
    }
    return Json.object("released", name, "token", Long.toString(token));
  }

  private Problem changed(String name, long token) {
    Optional<LockRow.Held> now =
        watch
            .locks()
            .fresh(Duration.ZERO, Duration.ofSeconds(5))
            .find(name)
            .flatMap(row -> row.holders().stream().findFirst());
    String instead =
        now.map(held -> "now " + held.label() + " holds it with token " + held.token())
            .orElse("now nobody holds it");
    String message =
        "the holder with token " + token + " is gone: " + instead + "; nothing was released";
    return new Problem(409, "changed", message)
        .because(
            now.isPresent() ? "held-by-another" : "held-by-nobody",
            Json.object(
                "holder",
                now.map(LockRow.Held::label),
                "token",
                now.map(held -> Long.toString(held.token()))));
  }
}
