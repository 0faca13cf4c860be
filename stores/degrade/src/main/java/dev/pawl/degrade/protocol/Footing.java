package dev.pawl.degrade.protocol;

/**
 * Where a claim holds its name: the epoch that the name carries in each store, zero where it does
 * not hold it.
 */
public record Footing(long primary, long backup) {

  /** Tells whether who holds a name so holds it by what the record says. */
  public boolean stands(ModeRecord record) {
    return switch (record.mode()) {
      case PRIMARY -> primary == record.primaryNames();
      case LEAVING -> false;
      case BACKUP, RETURNING -> backup == record.backupNames();
    };
  }

  /** Tells whether it holds also when the locks have returned. */
  public boolean isReady(ModeRecord record) {
    return record.mode() != Mode.RETURNING || primary == record.primaryNames();
  }
}
