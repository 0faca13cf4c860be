package dev.pawl.jdbc.schema;

/**
 * The names of the tables of a store, as they stand in statements.
 *
 * @param start what they begin with: a prefix, or a schema, a dot and a prefix
 */
public record Tables(String start) {

  /** Returns what to know about their schema when they are not found; empty if none was given. */
  String inSchema() {
    int dot = start.indexOf('.');
    return dot < 0 ? "" : " in schema " + start.substring(0, dot) + " (written without quotes)";
  }

  /** Returns the table of lease records. */
  public String leases() {
    return start + "lock";
  }

  /** Returns the ledger of row locks: the token of each name, and who took it last. */
  public String rowLockLedger() {
    return start + "row";
  }

  /** Returns the table whose rows are locked. */
  public String rowLocks() {
    return start + "row_lock";
  }

  /** Returns the table of the journal. */
  public String journal() {
    return start + "journal";
  }

  /** Returns the table of registers. */
  public String registers() {
    return start + "register";
  }

  /** Returns the table that has the version of all of them. */
  public String version() {
    return start + "schema";
  }
}
