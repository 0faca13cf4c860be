package dev.pawl.cli.look;

import dev.pawl.JournalEntry;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.NameConverter;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.cli.shell.Table;
import dev.pawl.console.json.Json;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl journal}: what happened, over all names. */
@Command(
    name = "journal",
    description = "Show what was written down of all names: forced releases, and runs of jobs.",
    footer = {
      "",
      "The newest come first. The store keeps the latest 100 entries of each name, and about 10,000"
          + " in all.",
      "",
      "Examples:",
      "  pawl journal",
      "  pawl journal job:sms-reminder --limit 20",
      "  pawl journal --json | jq '.entries[] | select(.kind == \"FORCED_RELEASE\")'"
    })
public final class JournalCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final LimitOption limit = new LimitOption();

  @Option(names = "--json", description = "Print one JSON object, for programs.")
  private boolean json;

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      converter = NameConverter.class,
      description = "Only the entries of that name (default: of all names).")
  private @Nullable String name;

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    int asked = limit.asked();
    try (StoreView view = StoreView.open(store)) {
      List<JournalEntry> found =
          name == null ? view.inspector().journal(asked) : view.inspector().journal(name, asked);
      List<JournalEntry> entries = limit.cut(found);
      if (json) {
        screen.print(
            Json.of(
                Json.object(
                    "now",
                    view.now().time(),
                    "entries",
                    entries.stream().map(LockJson::of).toList(),
                    "more",
                    limit.isExceededBy(found))));
      } else if (entries.isEmpty()) {
        screen.remark("the journal is empty" + (name == null ? "" : " for that name"));
        view.absence().ifPresent(screen::remark);
        Optional.ofNullable(name)
            .flatMap(view::jobInstead)
            .ifPresent(
                other -> screen.remark("there is a job of that name: pawl journal " + other));
      } else {
        table(entries, view.now()).print(screen);
      }
      limit.remark(screen, found, "entries");
    }
  }

  private static Table table(List<JournalEntry> entries, Now now) {
    Table table = new Table("WHEN", "WHAT", "NAME", "TOKEN", "NODE", "DETAILS");
    for (JournalEntry entry : entries) {
      table.row(
          now.ago(entry.at()),
          LockWords.kind(entry.kind()),
          entry.name(),
          Long.toString(entry.token()),
          entry.node(),
          LockWords.details(new TreeMap<>(entry.details())));
    }
    return table;
  }
}
