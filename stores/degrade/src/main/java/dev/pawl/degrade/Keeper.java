package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Sight;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.degrade.record.ModeRegister.Seen;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's mode lease, and does what the protocol wants of the node next: one exchange with
 * the record at a time, over and over.
 */
final class Keeper {

  private static final Logger LOG = LoggerFactory.getLogger(Keeper.class);

  /** What changes of the mode are journalled under. */
  static final String JOURNAL_NAME = "pawl:pair";

  private static final long EXCHANGE_NANOS = 2_000_000_000L;
  private static final long MOST_TICK_NANOS = 200_000_000L;
  private static final long MOST_READ_NANOS = 2_000_000_000L;
  private static final long CLOCK_NANOS = 600_000_000_000L;
  private static final int MOST_REPEATS = 5;

  private final PairState state;
  private final ModeRegister register;
  private final Renewing renewing;
  private final PrimaryWatch watch;
  private final Backoff backoff;
  private final long leaseNanos;
  private final long tickNanos;

  // Guarded by the lock of the pair.
  private @Nullable Seen seen;
  private boolean exchanging;
  private long exchangeNanos;
  private long exchanges;
  private long answeredNanos;
  private boolean lookNow = true;
  private long epoch;
  private boolean clockRead;
  private long clockNanos;
  private long rawEpoch;
  private OptionalLong raw = OptionalLong.empty();
  private boolean probing;
  private long probeNanos;
  private long probes;
  private @Nullable String refusal;
  private boolean closed;

  Keeper(
      PairState state,
      ModeRegister register,
      Renewing renewing,
      PrimaryWatch watch,
      PairOptions options) {
    this.state = state;
    this.register = register;
    this.renewing = renewing;
    this.watch = watch;
    this.leaseNanos = options.modeLease().toNanos();
    this.backoff =
        new Backoff(options.returnAfter().toNanos(), PairOptions.MOST_RETURN_AFTER.toNanos());
    this.tickNanos = Math.min(MOST_TICK_NANOS, leaseNanos / 20);
    state.onNudge(this::nudge);
  }

  void start() {
    tick();
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

  void nudge() {
    state.run(after -> lookNow = true);
    exchange(0);
  }

  private void tick() {
    boolean[] go = new boolean[1];
    state.run(
        after -> {
          go[0] = !closed;
          if (closed) {
            return;
          }
          long now = state.now();
          state.onRecord(after);
          state.unpark(after);
          if (watch.look(now)) {
            after.add(watch::probe);
          }
          readClock(now, after);
          probeToken(now, after);
          after.add(renewing::moveHeld);
        });
    if (go[0]) {
      exchange(0);
      state.world.timer().in(tickNanos, this::tick);
    }
  }

  private void readClock(long now, After after) {
    if (clockRead && now - clockNanos < CLOCK_NANOS) {
      return;
    }
    clockRead = true;
    // Until it is known, it is asked again with every second.
    clockNanos = state.clock.isRead() ? now : now - CLOCK_NANOS + 1_000_000_000L;
    after.add(
        () -> {
          var unused =
              state
                  .backup
                  .now(store -> store.nowMicros())
                  .thenAccept(
                      micros -> state.run(then -> state.clock.onRead(now, state.now(), micros)));
        });
  }

  /** Finds out where the tokens are of the store that has the locks next. */
  private void probeToken(long now, After after) {
    ModeRecord record = state.record();
    boolean isNew = record != null && record.tokens().ceiling() == 0;
    if (record == null
        || (!isNew && record.mode() != Mode.LEAVING && record.mode() != Mode.RETURNING)
        || (rawEpoch == record.epoch() && raw.isPresent())
        || (probing && now - probeNanos < EXCHANGE_NANOS)) {
      return;
    }
    probing = true;
    probeNanos = now;
    long of = record.epoch();
    Side next = state.side(record.mode() == Mode.RETURNING || record.mode() == Mode.PRIMARY);
    ClaimId claim = new ClaimId(state.node, ++probes);
    String name = StoredNames.fitting("pawl:pair-token:", state.node);
    Command.Acquire probe =
        new Command.Acquire(
            name,
            claim,
            Command.EVERYTHING,
            Command.EVERYTHING,
            1_000_000,
            1,
            OptionalLong.empty(),
            false,
            false,
            state.node,
            "");
    after.add(
        () -> {
          var unused =
              next.now(store -> store.acquire(probe))
                  .whenComplete((reply, error) -> onProbed(of, next, probe, reply));
        });
  }

  private void onProbed(long of, Side next, Command.Acquire probe, @Nullable AcquireReply reply) {
    state.run(after -> probing = false);
    if (reply instanceof AcquireReply.Granted granted) {
      long token = granted.grant().token();
      state.run(
          after -> {
            rawEpoch = of;
            raw = OptionalLong.of(token);
            ModeRecord seen = state.record();
            if (seen != null && seen.tokens().ceiling() == 0) {
              state.want(token); // So that the first grants need not wait for it.
            }
          });
      var unused =
          next.now(
              store ->
                  store.release(
                      new Command.Release(
                          probe.name(), probe.claim(), token, OptionalLong.empty(), true)));
      exchange(0);
    }
  }

  // Exchanges.

  private void exchange(int repeats) {
    state.run(
        after -> {
          long now = state.now();
          if (closed || (exchanging && now - exchangeNanos < EXCHANGE_NANOS)) {
            return;
          }
          Seen last = seen;
          Optional<Change> change = last == null ? Optional.empty() : next(last.record(), now);
          if (last != null && change.isPresent()) {
            begin(now);
            send(last, change.get(), now, repeats, after);
          } else if (last == null || isReadDue(last.record(), now)) {
            begin(now);
            long mine = exchanges;
            after.add(
                () -> {
                  var unused =
                      register
                          .read()
                          .whenComplete((read, error) -> onRead(mine, read, error, repeats));
                });
          }
        });
  }

  private void begin(long now) {
    exchanging = true;
    exchangeNanos = now;
    exchanges++;
    lookNow = false;
  }

  private Optional<Change> next(ModeRecord record, long now) {
    return state.warden.next(
        state.isIdle(),
        state.isReady(),
        watch.sight(),
        state.wantedCeiling(),
        backoff.nanos(now),
        rawEpoch == record.epoch() ? raw : OptionalLong.empty(),
        now);
  }

  private boolean isReadDue(ModeRecord record, long now) {
    long since = now - answeredNanos;
    boolean calm =
        record.members().stream().allMatch(m -> m.sight() == Sight.WELL && record.hasConfirmed(m));
    return switch (record.mode()) {
      case PRIMARY -> lookNow || (!calm && since >= tickNanos);
      case BACKUP -> lookNow || since >= Math.min(MOST_READ_NANOS, leaseNanos / 12);
      case LEAVING, RETURNING -> lookNow || since >= tickNanos;
    };
  }

  private void send(Seen last, Change change, long sent, int repeats, After after) {
    if (change instanceof Change.Beat beat && last.record().mode() == Mode.RETURNING) {
      state.onReadySent(beat.ready());
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

  private void onRead(long mine, @Nullable Seen read, @Nullable Throwable error, int repeats) {
    boolean[] again = new boolean[1];
    state.run(
        after -> {
          if (mine == exchanges) {
            exchanging = false;
          }
          if (read != null) {
            take(read, after);
            again[0] = mine == exchanges && repeats < MOST_REPEATS;
          } else {
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
          if (mine != exchanges) {
            return; // It was given up, and the record looked at again.
          }
          exchanging = false;
          if (outcome instanceof ModeRegister.Made made) {
            onMade(last.record(), change, made.now(), sent, after);
            again[0] = true;
          } else if (outcome instanceof ModeRegister.Overtaken overtaken) {
            take(overtaken.now(), after);
            again[0] = true;
          } else if (outcome instanceof ModeRegister.Refused refused) {
            if (change instanceof Change.Join && !refused.reason().equals(refusal)) {
              refusal = refused.reason();
              LOG.error("this node is not admitted to the pair: {}", refusal);
            }
            lookNow = true;
          } else {
            LOG.debug("the record of the pair was not changed", error);
            lookNow = true; // It may have been, all the same.
          }
        });
    if (again[0] && repeats < MOST_REPEATS) {
      exchange(repeats + 1);
    }
  }

  private void onMade(ModeRecord before, Change change, Seen now, long sent, After after) {
    long answered = state.now();
    if (!state.warden.onChanged(change, now.record(), sent, answered)) {
      forgotten(now.record());
      return;
    }
    seen = now;
    answeredNanos = answered;
    refusal = null;
    if (change instanceof Change.Beat beat && !beat.ready()) {
      state.onUnready();
    }
    if (before.mode() != now.record().mode()) {
      after.add(() -> journal(now.record(), "", now.record().reason()));
    }
    onSeen(after);
  }

  /** Takes a record that was read, unless a later one is known. The lock is held. */
  private void take(Seen read, After after) {
    Seen last = seen;
    if (last != null && read.register().version() < last.register().version()) {
      return;
    }
    long answered = state.now();
    if (!state.warden.onRead(read.record(), answered)) {
      forgotten(read.record());
      return;
    }
    seen = read;
    answeredNanos = answered;
    onSeen(after);
  }

  private void forgotten(ModeRecord record) {
    LOG.error(
        "the backup of the pair has forgotten: its record is of epoch {}, and this node has seen a"
            + " later one; it does not go on before that is mended (restart all nodes)",
        record.epoch());
  }

  private void onSeen(After after) {
    ModeRecord record = state.record();
    if (record == null) {
      return;
    }
    if (record.epoch() != epoch) {
      boolean first = epoch == 0;
      epoch = record.epoch();
      if (record.mode() == Mode.LEAVING) {
        backoff.onSwitch(state.now());
      }
      if (!first) {
        say(record);
      }
    }
    state.onRecord(after);
    state.unpark(after);
  }

  private static void say(ModeRecord record) {
    String what = "the pair of stores is in mode {}, epoch {}: {}";
    if (record.mode() == Mode.LEAVING) {
      LOG.warn(what, record.mode(), record.epoch(), record.reason());
    } else {
      LOG.info(what, record.mode(), record.epoch(), record.reason());
    }
  }

  /** Writes down that the mode has changed; that it has does not depend on it. */
  void journal(ModeRecord record, String by, String reason) {
    Map<String, String> details =
        by.isEmpty()
            ? Map.of(
                "mode", record.mode().name(),
                "epoch", Long.toString(record.epoch()),
                "reason", reason)
            : Map.of(
                "mode",
                record.mode().name(),
                "epoch",
                Long.toString(record.epoch()),
                "reason",
                reason,
                "by",
                by);
    var unused =
        state
            .backup
            .call(
                store ->
                    store
                        .journal()
                        .append(
                            JournalEntry.Kind.MODE_CHANGED, JOURNAL_NAME, 0, state.node, details))
            .whenComplete(
                (done, error) -> {
                  if (error != null) {
                    LOG.debug("a change of the mode could not be journalled", error);
                  }
                });
  }

  /** Looks at the record, whatever exchange is under way; what is read counts. */
  CompletionStage<Seen> look() {
    return register
        .read()
        .thenApply(
            read ->
                state.locked(
                    after -> {
                      take(read, after);
                      return read;
                    }));
  }
}
