package dev.pawl.degrade;

import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Backoff;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.degrade.record.ModeRegister.Seen;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and changes the record, one exchange at a time: what the protocol wants of the node next is
 * tried, and what is answered is taken.
 */
final class RecordExchange {

  private static final Logger LOG = LoggerFactory.getLogger(RecordExchange.class);

  /** An exchange that is not answered by then, or in a twelfth of a mode lease, is begun again. */
  private static final long LEAST_PATIENCE_NANOS = 2_000_000_000L;

  private static final long MOST_READ_NANOS = 2_000_000_000L;
  private static final int MOST_REPEATS = 5;

  private final PairState state;
  private final ModeRegister register;
  private final Losing losing;
  private final ModeChanges changes;
  private final PrimaryWatch watch;
  private final BackupWatch backupWatch;
  private final TokenProbe tokens;
  private final long returnNanos;
  private final long leaseNanos;
  private final long patienceNanos;
  private final long tickNanos;

  // Guarded by the lock of the pair.
  private @Nullable Seen seen;
  private boolean exchanging;

  /** Whether the last exchange is a change, and no look. */
  private boolean changing;

  private long exchangeNanos;
  private long exchanges;
  private long answeredNanos;
  private boolean lookNow = true;
  private long epoch;
  private @Nullable String refusal;

  /**
   * Whether the last change failed, or was not answered: that it can be read does not renew a mode
   * lease.
   */
  private boolean changesFail;

  private boolean closed;

  RecordExchange(
      PairState state,
      ModeRegister register,
      Losing losing,
      ModeChanges changes,
      PrimaryWatch watch,
      BackupWatch backupWatch,
      TokenProbe tokens,
      PairOptions options) {
    this.state = state;
    this.register = register;
    this.losing = losing;
    this.changes = changes;
    this.watch = watch;
    this.backupWatch = backupWatch;
    this.tokens = tokens;
    this.leaseNanos = options.modeLease().toNanos();
    this.patienceNanos = Math.max(LEAST_PATIENCE_NANOS, leaseNanos / 12);
    this.tickNanos = Heartbeat.tickNanos(options);
    this.returnNanos = options.returnAfter().toNanos();
    state.onNudge(this::nudge);
  }

  void stop() {
    state.run(after -> closed = true);
  }

  /** Returns why the node is not admitted; null if it is, or was not refused yet. */
  @Nullable String refusal() {
    String[] reason = new String[1];
    state.run(after -> reason[0] = refusal);
    return reason[0];
  }

  /** Looks at the record soon. */
  void nudge() {
    state.run(after -> lookNow = true);
    exchange();
  }

  /** Does what is to be done now, if no other exchange is under way. */
  void exchange() {
    exchange(0);
  }

  private void exchange(int repeats) {
    state.run(
        after -> {
          long now = state.now();
          if (closed || (exchanging && now - exchangeNanos < patienceNanos)) {
            return;
          }
          changesFail |= exchanging && changing; // Until it is answered: as good as failed.
          Seen last = seen;
          Optional<Change> change = last == null ? Optional.empty() : next(last.record(), now);
          if (last != null && change.isPresent()) {
            begin(now, true);
            send(last, change.get(), now, repeats, after);
          } else if (last == null || isReadDue(last.record(), now)) {
            begin(now, false);
            long mine = exchanges;
            after.add(
                () -> {
                  var unused =
                      register
                          .read()
                          .whenComplete((read, error) -> onRead(mine, now, read, error, repeats));
                });
          }
        });
  }

  private void begin(long now, boolean change) {
    exchanging = true;
    changing = change;
    exchangeNanos = now;
    exchanges++;
    lookNow = false;
  }

  private Optional<Change> next(ModeRecord record, long now) {
    return state.warden.next(
        state.belief.isIdle(),
        state.belief.isReady(),
        watch.sight(),
        state.belief.wantedCeiling(),
        Backoff.nanos(record.switches(), returnNanos, PairOptions.MOST_RETURN_AFTER.toNanos()),
        tokens.found(record.epoch()),
        now);
  }

  private boolean isReadDue(ModeRecord record, long now) {
    long since = now - answeredNanos;
    return switch (record.mode()) {
      case PRIMARY -> lookNow || (since >= tickNanos && !record.isCalm());
      case BACKUP -> lookNow || since >= Math.min(MOST_READ_NANOS, leaseNanos / 12);
      case LEAVING, RETURNING -> lookNow || since >= tickNanos;
    };
  }

  private void send(Seen last, Change change, long sent, int repeats, After after) {
    if (change instanceof Change.Beat beat && last.record().mode() == Mode.RETURNING) {
      state.belief.onReadySent(beat.ready());
    }
    long mine = exchanges;
    after.add(
        () -> {
          var unused =
              register
                  .change(last, change)
                  .whenComplete(
                      (outcome, error) ->
                          onOutcome(mine, last, change, sent, outcome, error, repeats));
        });
  }

  private void onRead(
      long mine, long sent, @Nullable Seen read, @Nullable Throwable error, int repeats) {
    boolean[] again = new boolean[1];
    state.run(
        after -> {
          if (mine == exchanges) {
            exchanging = false;
          }
          if (read != null) {
            take(read, sent, after);
            again[0] = mine == exchanges && repeats < MOST_REPEATS;
          } else {
            state.onBackupFailed(error);
            LOG.debug("the record of the pair was not read", error);
          }
        });
    if (again[0]) {
      exchange(repeats + 1);
    }
  }

  private void onOutcome(
      long mine,
      Seen last,
      Change change,
      long sent,
      ModeRegister.@Nullable Outcome outcome,
      @Nullable Throwable error,
      int repeats) {
    boolean[] again = new boolean[1];
    state.run(
        after -> {
          if (error != null) {
            state.onBackupFailed(error);
          }
          // An answer that comes when another exchange was begun is none to that one. What it says
          // counts all the same: a backup may be slower than a node is patient.
          boolean late = mine != exchanges;
          exchanging &= late;
          if (outcome instanceof ModeRegister.Made made) {
            changesFail = false;
            onMade(last.record(), change, made.now(), sent, late, after);
            again[0] = !late;
          } else if (outcome instanceof ModeRegister.Overtaken overtaken) {
            changesFail = false;
            take(overtaken.now(), sent, after);
            again[0] = !late;
          } else if (late) {
            LOG.debug("the record of the pair was not changed, as was said late", error);
          } else if (outcome instanceof ModeRegister.Refused refused) {
            if (change instanceof Change.Join && !refused.reason().equals(refusal)) {
              refusal = refused.reason();
              LOG.error("this node is not admitted to the pair: {}", refusal);
            }
            lookNow = true;
          } else {
            LOG.debug("the record of the pair was not changed", error);
            changesFail = true;
            lookNow = true; // It may have been, all the same.
          }
        });
    if (again[0] && repeats < MOST_REPEATS) {
      exchange(repeats + 1);
    }
  }

  private void onMade(
      ModeRecord before, Change change, Seen now, long sent, boolean late, After after) {
    long answered = state.now();
    onAnswer(answered);
    Seen last = seen;
    if (last != null && now.register().version() < last.register().version()) {
      return; // A look at the record was answered first.
    }
    if (!state.warden.onChanged(change, now.record(), sent, answered)) {
      changes.onForgotten(now.record());
      return;
    }
    seen = now;
    answeredNanos = answered;
    refusal = null;
    if (!late && change instanceof Change.Beat beat && !beat.ready()) { // It was the last word.
      state.belief.onUnready();
    }
    if (before.mode() != now.record().mode()) {
      after.add(() -> changes.journal(now.record(), "", now.record().reason()));
    }
    onSeen(after);
  }

  /** Takes a record that was read, unless a later one is known. The lock is held. */
  private void take(Seen read, long sent, After after) {
    Seen last = seen;
    long answered = state.now();
    onAnswer(answered);
    if (last != null && read.register().version() < last.register().version()) {
      // Late, unless it was asked for when the later one was known: then it has been lost.
      if (sent - answeredNanos > 0) {
        changes.onForgotten(read.record());
      }
      return;
    }
    if (!state.warden.onRead(read.record(), answered)) {
      changes.onForgotten(read.record());
      return;
    }
    seen = read;
    answeredNanos = answered;
    onSeen(after);
  }

  private void onAnswer(long answered) {
    if (!changesFail) {
      state.onBackupFailed(null);
      backupWatch.onAnswer(answered).ifPresent(LOG::info);
    }
  }

  private void onSeen(After after) {
    ModeRecord record = state.record();
    if (record == null) {
      return;
    }
    if (record.epoch() != epoch) {
      boolean first = epoch == 0;
      epoch = record.epoch();
      changes.onChanged(record, first, after);
    }
    losing.onRecord(after);
    state.unpark(after);
  }

  /** Looks at the record, whatever exchange is under way; what is read counts. */
  CompletionStage<Seen> look() {
    long sent = state.now();
    return register
        .read()
        .thenApply(
            read ->
                state.locked(
                    after -> {
                      take(read, sent, after);
                      return read;
                    }));
  }
}
