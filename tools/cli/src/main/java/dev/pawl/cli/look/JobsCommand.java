package dev.pawl.cli.look;

import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.cli.shell.Table;
import dev.pawl.console.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code pawl jobs}: each job, how its last run went, and who runs it now. */
@Command(
    name = "jobs",
    subcommands = {
      JobPauseCommand.class,
      JobResumeCommand.class,
      JobRerunCommand.class,
      JobResetCommand.class
    },
    description = "List the jobs, how they went and who runs them; pause, resume or rerun one.",
    footer = {
      "",
      "pawl show job:NAME shows more runs of one of them. pawl jobs pause NAME keeps every host from",
      "running one until pawl jobs resume NAME; pawl jobs rerun NAME T lets one tick run once more.",
      "pawl jobs reset NAME sets one back whose last tick is done by mistake, such as one in the",
      "future.",
      "",
      "Examples:",
      "  pawl jobs",
      "  pawl jobs --json | jq '.jobs[] | select(.last.outcome == \"FAILED\")'"
    })
public final class JobsCommand implements Runnable {

  /** What a clock may differ by, and a period be early. */
  private static final Duration AHEAD = Duration.ofMinutes(1);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final StoreOption store = new StoreOption();
  @Mixin private final OutputOptions output = new OutputOptions();
  @Mixin private final LimitOption limit = new LimitOption();

  @Override
  public void run() {
    Screen screen = Screen.of(Objects.requireNonNull(spec));
    OutputOptions.Reader reader = output.reader();
    int asked = limit.asked();
    try (StoreView view = StoreView.open(store)) {
      List<JobStatus> found = JobStatus.list(view.inspector(), asked);
      List<JobStatus> jobs = limit.cut(found);
      switch (reader) {
        case SCRIPT -> jobs.forEach(job -> screen.print(job.job()));
        case PROGRAM -> printJson(screen, jobs, limit.isExceededBy(found), view.now());
        case PERSON -> {
          if (jobs.isEmpty()) {
            screen.remark(view.absence().orElse("the store knows no job"));
          } else {
            table(jobs, view.now()).print(screen);
          }
        }
      }
      limit.remark(screen, found, "jobs");
      if (reader == OutputOptions.Reader.PERSON) {
        jobs.stream()
            .filter(
                job -> job.tick().filter(tick -> !ahead(tick, view.now()).isEmpty()).isPresent())
            .findFirst()
            .ifPresent(
                job ->
                    screen.remark(
                        "a job whose last tick is ahead does not run until then; if that is a"
                            + " mistake: pawl jobs reset "
                            + job.job()));
      }
    }
  }

  private static void printJson(Screen screen, List<JobStatus> jobs, boolean more, Now now) {
    screen.print(
        Json.of(
            Json.object(
                "now",
                now.time(),
                "jobs",
                jobs.stream().map(job -> json(job, now)).toList(),
                "more",
                more)));
  }

  private static Map<String, @Nullable Object> json(JobStatus job, Now now) {
    return Json.object(
        "job",
        job.job(),
        "tick",
        job.tick(),
        "aheadSeconds",
        job.tick().map(now::until),
        "last",
        job.last().map(LockJson::of),
        "runner",
        job.runner().map(holder -> LockJson.of(holder, now)),
        "standbys",
        job.lock().waiters().size(),
        "paused",
        job.control().pause().map(LockJson::of),
        "reruns",
        job.control().permits().stream().map(LockJson::of).toList());
  }

  /** Returns by how much a tick is in the future, where that looks like a mistake. */
  private static String ahead(Instant tick, Now now) {
    Duration ahead = now.until(tick);
    return ahead.compareTo(AHEAD) > 0 ? " (" + Durations.format(ahead) + " ahead)" : "";
  }

  /** Returns the jobs as a table. */
  static Table table(List<JobStatus> jobs, Now now) {
    // Most stores have none of these, and tables are wide enough.
    boolean decided = jobs.stream().anyMatch(job -> job.decided(now).isPresent());
    List<String> titles =
        List.of("JOB", "LAST TICK", "OUTCOME", "BY", "STARTED", "TOOK", "RUNS NOW", "STANDBYS");
    Table table = new Table(cells(titles, decided, "OPERATORS"));
    for (JobStatus job : jobs) {
      int standbys = job.lock().waiters().size();
      List<String> row =
          List.of(
              job.job(),
              job.tick().map(tick -> tick + ahead(tick, now)).orElse(LockWords.NONE),
              job.last().map(run -> run.ending().toString()).orElse(LockWords.NONE),
              job.last().map(run -> run.node()).orElse(LockWords.NONE),
              job.last().map(run -> now.ago(run.start())).orElse(LockWords.NONE),
              job.last().map(run -> Durations.format(run.took())).orElse(LockWords.NONE),
              job.runner()
                  .map(
                      runner ->
                          runner.label() + ", for " + Durations.format(now.since(runner.since())))
                  .orElse(LockWords.NONE),
              standbys == 0 ? LockWords.NONE : Integer.toString(standbys));
      table.row(cells(row, decided, job.decided(now).orElse(LockWords.NONE)));
    }
    return table;
  }

  private static String[] cells(List<String> usual, boolean more, String last) {
    return Stream.concat(usual.stream(), more ? Stream.of(last) : Stream.empty())
        .toArray(String[]::new);
  }
}
