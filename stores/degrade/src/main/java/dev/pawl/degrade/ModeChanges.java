package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes of the mode, as people read of them: in the log, and in the journal of the backup. */
final class ModeChanges {

  private static final Logger LOG = LoggerFactory.getLogger(ModeChanges.class);

  /** What changes of the mode are journalled under. */
  static final String JOURNAL_NAME = "pawl:pair";

  private final PairState state;

  ModeChanges(PairState state) {
    this.state = state;
  }

  static void logForgotten(ModeRecord record) {
    LOG.error(
        "the backup of the pair has forgotten: its record is of epoch {}, and this node has seen a"
            + " later one; it does not go on before that is mended (restart all nodes)",
        record.epoch());
  }

  static void log(ModeRecord record) {
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
}
