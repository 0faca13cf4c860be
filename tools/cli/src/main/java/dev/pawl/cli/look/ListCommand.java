package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.NameConverter;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.cli.shell.Table;
import dev.pawl.console.json.Json;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl ls}: the names in use. */
@Command(
    name = "ls",
    description = "List the names in use: who holds them, for how long yet, and how many wait.",
    footer = {
      "",
      "A name that nobody holds or waits for is idle, and is shown with --all as long as the store"
          + " remembers it.",
      "",
      "Examples:",
      "  pawl ls",
      "  pawl ls invoice: --all --limit 20",
      "  pawl ls --host web-1 --sort held",
      "  pawl ls --watch --sort waiting",
      "  pawl ls --json | jq -r '.locks[] | select(.waiters != []) | .name'"
    })
public final class ListCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final OutputOptions output = new OutputOptions();
  @Mixin private final LimitOption limit = new LimitOption();
  @Mixin private final LockFilter filter = new LockFilter();
  @Mixin private final WatchOption watch = new WatchOption();

  @Parameters(
      arity = "0..1",
      paramLabel = "PREFIX",
      defaultValue = "",
      converter = NameConverter.class,
      description = "What the names begin with (default: all names).")
  private String prefix = "";

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    OutputOptions.Reader reader = output.reader();
    int asked = limit.asked();
    try (StoreView view = StoreView.open(store)) {
      watch.repeat(
          screen,
          reader == OutputOptions.Reader.PERSON,
          page -> {
            List<LockInfo> found = filter.find(view.inspector(), prefix, asked);
            List<LockInfo> locks = limit.cut(found);
            switch (reader) {
              case SCRIPT -> locks.forEach(lock -> page.print(lock.name()));
              case PROGRAM -> printJson(page, locks, limit.isExceededBy(found), view.now());
              case PERSON -> printTable(page, locks, view);
            }
            limit.remark(page, found, "names");
          });
    }
  }

  private static void printJson(Screen screen, List<LockInfo> locks, boolean more, Now now) {
    screen.print(
        Json.of(
            Json.object(
                "now",
                now.time(),
                "locks",
                locks.stream().map(lock -> LockJson.of(lock, now)).toList(),
                "more",
                more)));
  }

  private void printTable(Screen screen, List<LockInfo> locks, StoreView view) {
    String mode = view.mode();
    if (!mode.isEmpty()) {
      screen.remark("mode: " + mode);
    }
    if (locks.isEmpty()) {
      String none = prefix.isEmpty() ? "no name" : "no name that begins so";
      screen.remark(
          view.absence()
              .orElse(
                  filter.isChoosing()
                      ? none + " in use is chosen by these options"
                      : filter.isAll()
                          ? none + " is known to the store"
                          : none + " is in use; --all shows idle names"));
      return;
    }
    table(locks, view.now()).print(screen);
  }

  /** Returns the locks as a table. */
  static Table table(List<LockInfo> locks, Now now) {
    Table table = new Table("NAME", "HOLDER", "TOKEN", "SINCE", "LEASE LEFT", "WAITING");
    for (LockInfo lock : locks) {
      boolean held = !lock.holders().isEmpty();
      table.row(
          lock.name(),
          LockWords.holder(lock),
          Long.toString(LockWords.token(lock)),
          held ? now.ago(lock.holders().get(0).since()) : LockWords.NONE,
          held ? Durations.format(lock.holders().get(0).left()) : LockWords.NONE,
          lock.waiters().isEmpty() ? LockWords.NONE : Integer.toString(lock.waiters().size()));
    }
    return table;
  }
}
