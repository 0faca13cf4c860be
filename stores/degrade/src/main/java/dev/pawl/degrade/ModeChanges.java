package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Signal;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes of the mode, as people read of them: in the log, and in the journal of the backup. */
final class ModeChanges {

  private static final Logger LOG = LoggerFactory.getLogger(ModeChanges.class);

  /** What changes of the mode are journalled under. */
  static final String JOURNAL_NAME = "pawl:pair";

  private final PairState state;
  private final Runnable onReturning;
  private final Queue<Signal> untold = new ConcurrentLinkedQueue<>();
  private final AtomicInteger telling = new AtomicInteger();
  private Mode last = Mode.PRIMARY;
  private boolean forgotten;

  ModeChanges(PairState state, Runnable onReturning) {
    this.state = state;
    this.onReturning = onReturning;
  }

  /** The backup has lost what this node has seen in it; said once. The lock is held. */
  void onForgotten(ModeRecord record) {
    if (!forgotten) {
      forgotten = true;
      LOG.error(
          "the backup of the pair has forgotten: its record is of epoch {}, and this node has seen"
              + " a later one; it does not go on before that is mended (restart all nodes)",
          record.epoch());
    }
  }

  /** The record is of another epoch, or the first that the node sees. The lock is held. */
  void onChanged(ModeRecord record, boolean first, After after) {
    if (!first) {
      log(record);
      untold.add(
          new Signal.ModeChanged(
              JOURNAL_NAME, record.mode().name().toLowerCase(Locale.ROOT), record.reason()));
      after.add(this::tell);
    }
    last = record.mode();
    if (record.mode() == Mode.RETURNING) {
      after.add(onReturning);
    }
  }

  /** Tells listeners in the order of the changes, by one thread at a time. */
  private void tell() {
    int seen = telling.getAndIncrement() == 0 ? 1 : 0;
    while (seen != 0) {
      for (Signal next = untold.poll(); next != null; next = untold.poll()) {
        Signal signal = next;
        state.listeners.values().forEach(listener -> listener.accept(signal));
      }
      seen = telling.addAndGet(-seen);
    }
  }

  /** A node that was stopped while the primary was left sees only that it has been. */
  private void log(ModeRecord record) {
    String what = "the pair of stores is in mode {}, epoch {}: {}";
    boolean left =
        record.mode() == Mode.LEAVING || (record.mode() == Mode.BACKUP && last == Mode.PRIMARY);
    if (left) {
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
}
