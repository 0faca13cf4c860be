package dev.pawl.engine;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PastRun;
import dev.pawl.engine.jobs.JobJournal;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Futures;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.Engine;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ResetReply;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operators' view, through this node's store. */
public final class NodeInspector implements Inspector {

  private static final Logger LOG = LoggerFactory.getLogger(NodeInspector.class);

  private final Engine engine;
  private final Runnable requireEvict;
  private final Runnable requireMarks;

  public NodeInspector(Engine engine, Runnable requireEvict, Runnable requireMarks) {
    this.engine = engine;
    this.requireEvict = requireEvict;
    this.requireMarks = requireMarks;
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
    return ask("list", store -> store.list(listing)).stream().map(this::withLine).toList();
  }

  @Override
  public Optional<LockInfo> find(String name) {
    Names.check(name);
    return ask("find", store -> store.find(name)).map(this::withLine);
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
    checkWhoAndWhy(by, reason);
    EvictReply reply = ask("evict", store -> store.evict(new Command.Evict(name, token)));
    if (!(reply instanceof EvictReply.Evicted evicted)) {
      return false;
    }
    Map<String, String> details =
        Map.of(
            "by", by, "reason", reason, "holder", evicted.label(), "claim", "" + evicted.claim());
    note(JournalEntry.Kind.FORCED_RELEASE, name, token, details);
    return true;
  }

  /** Notes what was done; it is done, and that is what was asked, even if this fails. */
  private void note(JournalEntry.Kind kind, String name, long token, Map<String, String> details) {
    try {
      ask(
          "journal",
          store ->
              store
                  .journal()
                  .append(kind, name, token, engine.label(), details)
                  .thenApply(done -> true));
    } catch (RuntimeException e) {
      LOG.warn(
          "{} of {} with token {} could not be journalled ({}): {}",
          kind,
          Names.quote(name),
          token,
          details,
          e.toString());
    }
  }

  private static void checkWhoAndWhy(String by, String reason) {
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(reason, "reason");
    if (by.isBlank() || reason.isBlank()) {
      throw new IllegalArgumentException(
          "by is \"" + by + "\" and reason is \"" + reason + "\"; say who decided it, and why");
    }
  }

  @Override
  public boolean resetJob(
      String job, Instant latest, Optional<Instant> to, String by, String reason) {
    requireMarks.run();
    String name = Job.PREFIX + Objects.requireNonNull(job, "job");
    Names.check(name);
    Objects.requireNonNull(latest, "latest");
    checkWhoAndWhy(by, reason);
    OptionalLong mark =
        to.map(time -> OptionalLong.of(time.toEpochMilli())).orElse(OptionalLong.empty());
    Command.Reset command = new Command.Reset(name, latest.toEpochMilli(), mark);
    if (ask("reset", store -> store.reset(command)) != ResetReply.RESET) {
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
    note(JournalEntry.Kind.JOB_RESET, name, 0, details);
    return true;
  }

  @Override
  public List<JournalEntry> journal(String name, int limit) {
    Names.check(name);
    checkLimit(limit);
    return ask("journal", store -> store.journal().read(name, limit));
  }

  @Override
  public List<JournalEntry> journal(int limit) {
    checkLimit(limit);
    return ask("journal", store -> store.journal().readAll(limit));
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

  private <T> T ask(String what, Function<LockStore, CompletionStage<T>> question) {
    if (engine.isClosed()) {
      throw engine.closedException();
    }
    CompletableFuture<T> answer = engine.link().call(true, question).toCompletableFuture();
    if (!Futures.awaitDone(answer, engine.link().pace().responseNanos())) {
      throw new OutcomeUnknownException(
          "no answer to " + what + " from " + engine.store().describe(), null);
    }
    if (answer.isCompletedExceptionally()) {
      throw Failures.unexpected(what, Futures.failureOf(answer));
    }
    return answer.join();
  }

  private static void checkLimit(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is " + limit + "; allowed is 1 and more");
    }
  }
}
