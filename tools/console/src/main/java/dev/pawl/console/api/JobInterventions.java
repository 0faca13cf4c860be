package dev.pawl.console.api;

import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.LockInfo;
import dev.pawl.console.access.User;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.StoreWatch;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an operator may decide about a job. The store keeps it, and every node obeys. */
final class JobInterventions {

  private static final Set<String> REASON = Set.of("reason");
  private static final Set<String> TICK_AND_REASON = Set.of("tick", "reason");

  private final StoreWatch watch;

  JobInterventions(StoreWatch watch) {
    this.watch = watch;
  }

  Map<String, @Nullable Object> pause(User user, String job, Map<String, String> body) {
    String reason = new Fields(body, REASON).reason();
    require(watch.inspector().pauseJob(job, user.name(), reason), () -> pausedAlready(job));
    return Json.object("paused", job);
  }

  Map<String, @Nullable Object> resume(User user, String job, Map<String, String> body) {
    String reason = new Fields(body, REASON).reason();
    require(
        watch.inspector().resumeJob(job, user.name(), reason),
        () -> changed("job " + job + " is not paused", "not-paused", Map.of()));
    return Json.object("resumed", job);
  }

  Map<String, @Nullable Object> rerun(User user, String job, Map<String, String> body) {
    Fields fields = new Fields(body, TICK_AND_REASON);
    Instant tick = fields.instant("tick");
    String reason = fields.reason();
    boolean permitted;
    try {
      permitted = watch.inspector().permitRerun(job, tick, user.name(), reason);
    } catch (IllegalArgumentException e) {
      // As many permits as a job may have.
      throw new Problem(409, "too-many-permits", String.valueOf(e.getMessage()));
    }
    require(permitted, () -> notPermitted(job, tick));
    return Json.object("permitted", job, "tick", tick);
  }

  Map<String, @Nullable Object> withdraw(User user, String job, Map<String, String> body) {
    Fields fields = new Fields(body, TICK_AND_REASON);
    Instant tick = fields.instant("tick");
    require(
        watch.inspector().withdrawRerun(job, tick, user.name(), fields.reason()),
        () ->
            changed(
                "tick "
                    + tick
                    + " of job "
                    + job
                    + " has no permit to run again; nothing was withdrawn",
                "not-permitted",
                Map.of()));
    return Json.object("withdrawn", job, "tick", tick);
  }

  /** Has every page see what is so now; and refuses, with the reason, what changed nothing. */
  private void require(boolean changed, Supplier<Problem> why) {
    watch.history().refresh();
    if (!changed) {
      throw why.get();
    }
  }

  private static Problem changed(
      String message, String reason, Map<String, @Nullable Object> values) {
    return new Problem(409, "changed", message + "; nothing was changed").because(reason, values);
  }

  private Problem pausedAlready(String job) {
    Optional<JobControl.Pause> pause = watch.inspector().jobControl(job).pause();
    String by = pause.map(each -> told(each.by(), each.since(), each.reason())).orElse("");
    return changed(
        "job " + job + " is paused already" + by,
        "paused-already",
        Json.object("by", pause.map(JobControl.Pause::by)));
  }

  private Problem notPermitted(String job, Instant tick) {
    String which = "tick " + tick + " of job " + job;
    Optional<JobControl.Permit> permit = watch.inspector().jobControl(job).permit(tick);
    return permit.isPresent()
        ? changed(
            which
                + " may run again already"
                + told(permit.get().by(), permit.get().since(), permit.get().reason()),
            "permitted-already",
            Json.object("by", permit.get().by()))
        : changed(
            which + " is not done" + latest(job) + ", and needs no permit",
            "tick-not-done",
            Map.of());
  }

  private String latest(String job) {
    return watch
        .inspector()
        .find(Job.PREFIX + job)
        .map(LockInfo::mark)
        .filter(OptionalLong::isPresent)
        .map(mark -> ", the latest that is done is " + Instant.ofEpochMilli(mark.getAsLong()))
        .orElse(", as far as the store remembers");
  }

  private static String told(String by, Instant since, String reason) {
    return ", by " + by + " since " + since + ": " + reason;
  }
}
