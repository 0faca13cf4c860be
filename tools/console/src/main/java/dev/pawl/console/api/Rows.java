package dev.pawl.console.api;

import dev.pawl.JobControl;
import dev.pawl.JournalEntry;
import dev.pawl.PastRun;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.JobRow;
import dev.pawl.console.watch.LockRow;
import dev.pawl.console.watch.Nodes;
import dev.pawl.console.watch.WaitGraph;
import dev.pawl.spi.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the API returns of each thing. Tokens are strings: they have 64 bits, and JavaScript's
 * numbers 53.
 */
final class Rows {

  private static final int MOST_HOLDERS_IN_A_TABLE = 3;
  private static final int MOST_OF_A_QUEUE = 200;
  private static final int MOST_RUNS_OF_A_JOB = 100;

  private Rows() {}

  /** Returns a row of the table: its first holders, and how many there are. */
  static Map<String, @Nullable Object> summary(LockRow row) {
    return Json.object(
        "name",
        row.name(),
        "holders",
        list(row.holders(), MOST_HOLDERS_IN_A_TABLE, Rows::holder),
        "holderCount",
        row.holders().size(),
        "waiters",
        row.waiters().size());
  }

  /** Returns all that is known of a name. */
  static Map<String, @Nullable Object> lock(LockRow row) {
    return Json.object(
        "name",
        row.name(),
        "holders",
        list(row.holders(), MOST_OF_A_QUEUE, Rows::holder),
        "holderCount",
        row.holders().size(),
        "queue",
        list(row.waiters(), MOST_OF_A_QUEUE, Rows::waiter),
        "waiters",
        row.waiters().size());
  }

  static Map<String, @Nullable Object> holder(LockRow.Held held) {
    return Json.object(
        "node",
        held.label(),
        "thread",
        held.caller().thread(),
        "waitsFor",
        held.caller().waitsFor().isEmpty() ? null : held.caller().waitsFor(),
        "claim",
        held.claim(),
        "exclusive",
        held.exclusive(),
        "permits",
        held.permits(),
        "token",
        Long.toString(held.token()),
        "since",
        held.since(),
        "expires",
        held.expires(),
        "leaseSeconds",
        held.lease());
  }

  private static Map<String, @Nullable Object> waiter(LockRow.Waiting waiting) {
    return Json.object(
        "node",
        waiting.label(),
        "thread",
        waiting.caller().thread(),
        "claim",
        waiting.claim(),
        "exclusive",
        waiting.exclusive(),
        "permits",
        waiting.permits(),
        "since",
        waiting.since());
  }

  static Map<String, @Nullable Object> job(JobRow job) {
    return Json.object(
        "job",
        job.job(),
        "tick",
        job.tick(),
        "runner",
        job.lock().holders().stream().findFirst().map(Rows::holder),
        "standbys",
        list(job.lock().waiters(), MOST_OF_A_QUEUE, Rows::waiter),
        "runs",
        list(job.runs(), MOST_RUNS_OF_A_JOB, run -> run(job, run)),
        "moreRuns",
        job.runs().size() > MOST_RUNS_OF_A_JOB,
        "missed",
        job.missed(),
        "paused",
        job.control().pause().map(Rows::pause),
        "permits",
        job.control().permits().stream().map(Rows::permit).toList());
  }

  private static Map<String, @Nullable Object> pause(JobControl.Pause pause) {
    return Json.object("by", pause.by(), "reason", pause.reason(), "since", pause.since());
  }

  private static Map<String, @Nullable Object> permit(JobControl.Permit permit) {
    return Json.object(
        "tick",
        permit.tick(),
        "by",
        permit.by(),
        "reason",
        permit.reason(),
        "since",
        permit.since());
  }

  private static Map<String, @Nullable Object> run(JobRow job, PastRun run) {
    return Json.object(
        "tick",
        run.tick(),
        "node",
        run.node(),
        "token",
        Long.toString(run.token()),
        "start",
        run.start(),
        "seconds",
        run.took(),
        "ending",
        run.ending().name().toLowerCase(Locale.ROOT),
        "takeOver",
        job.isTakeOver(run),
        "error",
        run.error());
  }

  static Map<String, @Nullable Object> node(Nodes.NodeRow node) {
    return Json.object(
        "node",
        node.label(),
        "there",
        node.isThere(),
        "holds",
        node.holds(),
        "waits",
        node.waits(),
        "runs",
        node.runs(),
        "failed",
        node.failed(),
        "lost",
        node.lost(),
        "first",
        node.first(),
        // It is there as long as it holds something, and that is no change.
        "last",
        node.isThere() ? null : node.last());
  }

  static Map<String, @Nullable Object> graph(WaitGraph graph) {
    return Json.object(
        "threads",
        graph.threads().stream()
            .map(
                each ->
                    Json.object(
                        "id",
                        each.id(),
                        "node",
                        each.label(),
                        "thread",
                        each.thread(),
                        "cycle",
                        each.inCycle()))
            .toList(),
        "edges",
        edges(graph.edges()),
        "more",
        graph.more());
  }

  static List<Map<String, @Nullable Object>> edges(List<WaitGraph.Edge> edges) {
    return edges.stream()
        .map(
            each ->
                Json.object(
                    "from",
                    each.from(),
                    "to",
                    each.to(),
                    "name",
                    each.name(),
                    "cycle",
                    each.inCycle()))
        .toList();
  }

  static Map<String, @Nullable Object> entry(JournalEntry entry) {
    Map<String, @Nullable Object> details = new LinkedHashMap<>();
    entry.details().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(each -> details.put(each.getKey(), each.getValue()));
    return Json.object(
        "at",
        entry.at(),
        "kind",
        entry.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        "name",
        entry.name(),
        "token",
        Long.toString(entry.token()),
        "node",
        entry.node(),
        "details",
        details);
  }

  static Map<String, @Nullable Object> finding(Finding finding) {
    return Json.object(
        "level",
        finding.level().name().toLowerCase(Locale.ROOT),
        "what",
        finding.what(),
        "why",
        finding.why(),
        "remedy",
        finding.remedy());
  }

  private static <T> List<Map<String, @Nullable Object>> list(
      List<T> all, int most, Function<T, Map<String, @Nullable Object>> form) {
    return all.stream().limit(most).map(form).toList();
  }
}
