package dev.pawl.console.api;

import dev.pawl.console.watch.Shared;
import java.util.List;
import java.util.Optional;

/** What one page shows, and what of it has changed since it was told last. One for each page. */
interface View {

  /** Returns what it is made of. */
  List<Shared<?>> sources();

  /** Returns what to tell the page, as JSON; empty if nothing has changed. */
  Optional<String> next();
}
