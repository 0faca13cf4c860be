package dev.pawl.spring.boot;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * The endpoint {@code pawl}: who holds and waits, jobs with their runs, and a forced release where
 * the access to it is {@code unrestricted}.
 */
@Endpoint(id = "pawl", defaultAccess = Access.READ_ONLY)
public class PawlEndpoint {

  private static final int MOST = 500;
  private static final int RUNS = 20;

  private final Pawl pawl;

  /** Makes one for a node. */
  public PawlEndpoint(Pawl pawl) {
    this.pawl = pawl;
  }

  /** The node, and what is in use in its store. */
  public record Overview(
      String store, String node, String nodeId, List<Lock> locks, List<JobState> jobs) {}

  /** One lock. */
  public record Lock(
      String name, long token, List<LockInfo.Holder> holders, List<LockInfo.Waiter> waiters) {

    static Lock of(LockInfo info) {
      return new Lock(info.name(), info.token(), info.holders(), info.waiters());
    }
  }

  /** One job, with its last tick, who runs it now and its last runs. */
  public record JobState(
      String name, @Nullable Instant lastTick, List<LockInfo.Holder> runner, List<Run> runs) {}

  /** One run that has ended; as text what serializers write in ways of their own. */
  public record Run(
      Instant tick,
      long token,
      String node,
      Instant start,
      double tookSeconds,
      String ending,
      @Nullable String error) {

    static Run of(PastRun run) {
      return new Run(
          run.tick(),
          run.token(),
          run.node(),
          run.start(),
          run.took().toMillis() / 1_000.0,
          run.ending().toString(),
          run.error().orElse(null));
    }
  }

  /** Returns who holds and waits, and the jobs. */
  @ReadOperation
  public Overview overview() {
    Inspector inspector = pawl.inspector();
    List<Lock> locks =
        inspector.listInUse("", MOST).stream()
            .filter(info -> !info.name().startsWith(Job.PREFIX))
            .map(Lock::of)
            .toList();
    List<JobState> jobs =
        inspector.list(Job.PREFIX, MOST).stream().map(info -> job(info, 1)).toList();
    return new Overview(pawl.store().describe(), pawl.label(), pawl.nodeId(), locks, jobs);
  }

  /** Returns one lock, or one job by its name in the store, {@code job:NAME}. */
  @ReadOperation
  public @Nullable Object one(@Selector(match = Match.ALL_REMAINING) String... name) {
    LockInfo info = pawl.inspector().find(String.join("/", name)).orElse(null);
    if (info == null) {
      return null;
    }
    return info.name().startsWith(Job.PREFIX) ? job(info, RUNS) : Lock.of(info);
  }

  private JobState job(LockInfo info, int runs) {
    String name = info.name().substring(Job.PREFIX.length());
    return new JobState(
        name,
        info.mark().isPresent() ? Instant.ofEpochMilli(info.mark().getAsLong()) : null,
        info.holders(),
        pawl.inspector().runs(name, runs).stream().map(Run::of).toList());
  }

  /** Takes a name away from the holder with the token that was seen. */
  @DeleteOperation
  public Map<String, Boolean> release(
      @Selector(match = Match.ALL_REMAINING) String[] name, long token, String by, String reason) {
    return Map.of(
        "released", pawl.inspector().forceRelease(String.join("/", name), token, by, reason));
  }
}
