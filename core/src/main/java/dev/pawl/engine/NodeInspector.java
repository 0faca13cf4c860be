package dev.pawl.engine;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.engine.jobs.JobJournal;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ResetReply;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/** The operators' view, through this node's store. */
public final class NodeInspector implements Inspector {

  private final Engine engine;
  private final Runnable requireEvict;
  private final Runnable requireMarks;
  private final Runnable requireRegisters;
  private final OperatorLink link;
  private final JobDecisions decisions;

  public NodeInspector(
      Engine engine, Runnable requireEvict, Runnable requireMarks, Runnable requireRegisters) {
    this.engine = engine;
    this.requireEvict = requireEvict;
    this.requireMarks = requireMarks;
    this.requireRegisters = requireRegisters;
    this.link = new OperatorLink(engine);
    this.decisions = new JobDecisions(link);
  }

  @Override
  public List<LockInfo> list(String prefix, int limit) {
    return list(Listing.all(prefix, limit));
  }

  @Override
  public List<LockInfo> listInUse(String prefix, int limit) {
    return list(Listing.inUse(prefix, limit));
  }

  private List<LockInfo> list(Listing listing) {
    return link.ask("list", store -> store.list(listing)).stream().map(this::withLine).toList();
  }

  @Override
  public Optional<LockInfo> find(String name) {
    Names.check(name);
    return link.ask("find", store -> store.find(name)).map(this::withLine);
  }

  /** Adds what the store does not know: who waits inside this node. */
  private LockInfo withLine(LockInfo info) {
    return new LockInfo(
        info.name(),
        info.token(),
        info.mark(),
        info.holders(),
        info.waiters(),
        engine.waiting(info.name()));
  }

  @Override
  public boolean forceRelease(String name, long token, String by, String reason) {
    requireEvict.run();
    Names.check(name);
    OperatorLink.checkWhoAndWhy(by, reason);
    EvictReply reply = link.ask("evict", store -> store.evict(new Command.Evict(name, token)));
    if (!(reply instanceof EvictReply.Evicted evicted)) {
      return false;
    }
    Map<String, String> details =
        Map.of(
            "by", by, "reason", reason, "holder", evicted.label(), "claim", "" + evicted.claim());
    link.note(JournalEntry.Kind.FORCED_RELEASE, name, token, details);
    return true;
  }

  @Override
  public boolean resetJob(
      String job, Instant latest, Optional<Instant> to, String by, String reason) {
    requireMarks.run();
    String name = OperatorLink.nameOf(job);
    Objects.requireNonNull(latest, "latest");
    OperatorLink.checkWhoAndWhy(by, reason);
    OptionalLong mark =
        to.map(time -> OptionalLong.of(time.toEpochMilli())).orElse(OptionalLong.empty());
    Command.Reset command = new Command.Reset(name, latest.toEpochMilli(), mark);
    if (link.ask("reset", store -> store.reset(command)) != ResetReply.RESET) {
      return false;
    }
    Map<String, String> details =
        Map.of(
            "by",
            by,
            "reason",
            reason,
            "from",
            latest.toString(),
            "to",
            to.map(Instant::toString).orElse("none"));
    link.note(JournalEntry.Kind.JOB_RESET, name, 0, details);
    return true;
  }

  @Override
  public boolean pauseJob(String job, String by, String reason) {
    return decisions().pause(job, by, reason);
  }

  @Override
  public boolean resumeJob(String job, String by, String reason) {
    return decisions().resume(job, by, reason);
  }

  @Override
  public boolean permitRerun(String job, Instant tick, String by, String reason) {
    return decisions().permitRerun(job, tick, by, reason);
  }

  @Override
  public boolean withdrawRerun(String job, Instant tick, String by, String reason) {
    return decisions().withdrawRerun(job, tick, by, reason);
  }

  /** Refuses before any I/O where a job could not obey. */
  private JobDecisions decisions() {
    requireMarks.run();
    requireRegisters.run();
    return decisions;
  }

  @Override
  public JobControl jobControl(String job) {
    return decisions.control(job);
  }

  @Override
  public List<JobControl> jobControls(int limit) {
    checkLimit(limit);
    return decisions.controls(limit);
  }

  @Override
  public List<JournalEntry> journal(String name, int limit) {
    Names.check(name);
    checkLimit(limit);
    return link.ask("journal", store -> store.journal().read(name, limit));
  }

  @Override
  public List<JournalEntry> journal(int limit) {
    checkLimit(limit);
    return link.ask("journal", store -> store.journal().readAll(limit));
  }

  @Override
  public List<PastRun> runs(String job, int limit) {
    String name = Job.PREFIX + Objects.requireNonNull(job, "job");
    return runs(limit, entries -> journal(name, entries));
  }

  @Override
  public List<PastRun> runs(int limit) {
    return runs(limit, this::journal);
  }

  /** Reads on until there are enough runs among the entries, or no more entries. */
  private static List<PastRun> runs(int limit, IntFunction<List<JournalEntry>> journal) {
    checkLimit(limit);
    for (long wanted = limit; ; wanted *= 8) {
      int most = (int) Math.min(wanted, Integer.MAX_VALUE);
      List<JournalEntry> entries = journal.apply(most);
      List<PastRun> runs = JobJournal.runsOf(entries);
      if (runs.size() >= limit || entries.size() < most) {
        return runs.subList(0, Math.min(limit, runs.size()));
      }
    }
  }

  private static void checkLimit(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is " + limit + "; allowed is 1 and more");
    }
  }
}
