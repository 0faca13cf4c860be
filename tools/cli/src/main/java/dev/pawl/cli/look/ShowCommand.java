package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.NameConverter;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.console.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pawl show}: all that a store knows of one name. */
@Command(
    name = "show",
    description =
        "Show one name: who holds it and who waits, its token, the lease left, its last runs.",
    footer = {
      "",
      "A job is shown under its name in the store, which begins with job:.",
      "",
      "Examples:",
      "  pawl show invoice:42",
      "  pawl show job:sms-reminder --limit 50",
      "  pawl show --json invoice:42 | jq '.holders[0].token'"
    })
public final class ShowCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final OutputOptions output = new OutputOptions();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "Show that many past runs and journal entries at most (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Parameters(
      paramLabel = "NAME",
      converter = NameConverter.class,
      description = "The name of the lock.")
  private String name = "";

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    OutputOptions.Reader reader = output.reader();
    try (StoreView view = StoreView.open(store)) {
      Inspector inspector = view.inspector();
      LockInfo lock = inspector.find(name).orElseGet(() -> LockWords.unknown(name));
      switch (reader) {
        case SCRIPT -> lock.holders().forEach(holder -> screen.print(holder.label()));
        case PROGRAM -> printJson(screen, lock, inspector, view.now());
        case PERSON -> {
          Optional<String> job = view.jobInstead(name);
          new LockPage(screen, lock, view.now()).print(runs(inspector), journal(inspector));
          view.absence().ifPresent(screen::remark);
          job.ifPresent(other -> screen.remark("there is a job of that name: pawl show " + other));
        }
      }
    }
  }

  private List<PastRun> runs(Inspector inspector) {
    return name.startsWith(Job.PREFIX) && name.length() > Job.PREFIX.length()
        ? inspector.runs(name.substring(Job.PREFIX.length()), limit)
        : List.of();
  }

  /** Returns what is in the journal besides the runs. */
  private List<JournalEntry> journal(Inspector inspector) {
    return inspector.journal(name, limit).stream()
        .filter(entry -> entry.kind() != JournalEntry.Kind.JOB_RUN)
        .toList();
  }

  private void printJson(Screen screen, LockInfo lock, Inspector inspector, Now now) {
    Map<String, @Nullable Object> object = Json.object("now", now.time());
    object.putAll(LockJson.of(lock, now));
    object.put("runs", runs(inspector).stream().map(LockJson::of).toList());
    object.put("journal", journal(inspector).stream().map(LockJson::of).toList());
    screen.print(Json.of(object));
  }
}
