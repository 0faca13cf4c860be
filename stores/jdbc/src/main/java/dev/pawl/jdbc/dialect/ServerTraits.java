package dev.pawl.jdbc.dialect;

import dev.pawl.spi.Finding;
import java.util.ArrayList;
import java.util.List;

/**
 * What a server is besides a database, on which it depends what a lock in it is worth.
 *
 * @param dialect the dialect it understands
 * @param readOnly a replica, or a server set to be read only
 * @param galera a node of a Galera cluster
 * @param pooled a pooler such as PgBouncer stands in between
 * @param remoteFiles the network file system that the database's file is on; empty if it is on none
 * @param emptyIsNull the connection takes what is empty for NULL, as Oracle does
 */
public record ServerTraits(
    Dialect dialect,
    boolean readOnly,
    boolean galera,
    boolean pooled,
    String remoteFiles,
    boolean emptyIsNull) {

  /** Returns a server that takes what is empty for what it is. */
  public ServerTraits(
      Dialect dialect, boolean readOnly, boolean galera, boolean pooled, String remoteFiles) {
    this(dialect, readOnly, galera, pooled, remoteFiles, false);
  }

  /**
   * Returns why there can be no lock here.
   *
   * @param rowLock whether a lock is to be a locked row
   */
  public List<Finding> obstacles(boolean rowLock) {
    List<Finding> obstacles = new ArrayList<>();
    if (readOnly) {
      obstacles.add(
          Finding.unsafe(
              "the server is a read replica, or is set to be read only",
              "a lock is a write, and only the primary takes it",
              "connect to the primary"));
    }
    if (emptyIsNull) {
      obstacles.add(
          Finding.unsafe(
              "sql_mode has EMPTY_STRING_IS_NULL",
              "what is empty would be NULL: listings and clean-up would find nothing, and the journal"
                  + " could not be written",
              "take it out of sql_mode, for the server or for these connections"));
    }
    if (rowLock && !dialect.hasRowLocks()) {
      obstacles.add(
          Finding.unsafe(
              dialect + " has no row locks",
              "the strategy row-lock needs SELECT … FOR UPDATE",
              "choose pawl.strategy=lease-record or unique-key"));
    }
    if (rowLock && galera) {
      obstacles.add(
          Finding.unsafe(
              "row locks on a node of a Galera cluster",
              "SELECT … FOR UPDATE is local to the node, and excludes nobody on the others",
              "choose pawl.strategy=lease-record"));
    }
    return obstacles;
  }

  /** Returns what does not hold here. */
  public List<Finding> limits() {
    List<Finding> limits = new ArrayList<>();
    if (galera) {
      limits.add(
          Finding.warning(
              "the server is a node of a Galera cluster",
              "locks hold, but a claim that meets one on another node costs a rollback, and is"
                  + " tried again",
              "send all to one server of the cluster"));
    }
    if (pooled) {
      limits.add(
          Finding.warning(
              "a pooler such as PgBouncer stands in front of the server",
              "LISTEN may belong to whoever gets the connection next, so waiters poll; in transaction"
                  + " mode a prepared statement may be unknown when it is used; in statement mode"
                  + " there are no transactions, which renewals need",
              "connect to the server itself; or set pool_mode to session or transaction and, in a"
                  + " DataSource of your own, prepareThreshold=0, which Pawl sets for a URL"));
    }
    if (!remoteFiles.isEmpty()) {
      limits.add(
          Finding.unsafe(
              "the " + dialect + " file is on a network file system (" + remoteFiles + ")",
              "its file locks may not reach the other hosts, so that two may hold one lock and the"
                  + " file may be spoiled",
              "put the file on a local disk, or use a database server for several hosts"));
    }
    return limits;
  }

  /** Tells whether notifications reach whoever listens. */
  public boolean canListen() {
    return !pooled;
  }
}
