package dev.pawl.cli.look;

import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import dev.pawl.cli.shell.Json;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.StoreOption;
import dev.pawl.cli.shell.Table;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code pawl jobs}: each job, how its last run went, and who runs it now. */
@Command(
    name = "jobs",
    description = "List the jobs: the last tick and how it went, and who runs them now.",
    footer = {
      "",
      "pawl show job:NAME shows more runs of one of them.",
      "",
      "Examples:",
      "  pawl jobs",
      "  pawl jobs --json | jq '.jobs[] | select(.last.outcome == \"FAILED\")'"
    })
public final class JobsCommand implements Runnable {

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
            screen.remark("the store knows no job");
          } else {
            table(jobs, view.now()).print(screen);
          }
        }
      }
      limit.remark(screen, found, "jobs");
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
        "last",
        job.last().map(LockJson::of),
        "runner",
        job.runner().map(holder -> LockJson.of(holder, now)),
        "standbys",
        job.lock().waiters().size());
  }

  /** Returns the jobs as a table. */
  static Table table(List<JobStatus> jobs, Now now) {
    Table table =
        new Table("JOB", "LAST TICK", "OUTCOME", "BY", "STARTED", "TOOK", "RUNS NOW", "STANDBYS");
    for (JobStatus job : jobs) {
      int standbys = job.lock().waiters().size();
      table.row(
          job.job(),
          job.tick().map(Instant::toString).orElse(LockWords.NONE),
          job.last().map(run -> run.ending().toString()).orElse(LockWords.NONE),
          job.last().map(run -> run.node()).orElse(LockWords.NONE),
          job.last().map(run -> now.ago(run.start())).orElse(LockWords.NONE),
          job.last().map(run -> Durations.format(run.took())).orElse(LockWords.NONE),
          job.runner()
              .map(
                  runner -> runner.label() + ", for " + Durations.format(now.since(runner.since())))
              .orElse(LockWords.NONE),
          standbys == 0 ? LockWords.NONE : Integer.toString(standbys));
    }
    return table;
  }
}
