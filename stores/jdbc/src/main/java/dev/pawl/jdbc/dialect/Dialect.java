package dev.pawl.jdbc.dialect;

import dev.pawl.spi.Finding;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;

/**
 * Everything in which one database differs from the others: what it is called, fragments and
 * statements of its SQL, its errors, its driver, and what its server is besides. One class for each
 * database, to be read beside its manual; nobody outside this package asks which one it is.
 *
 * <p>What most databases do is written here; a dialect overrides what it does otherwise.
 */
public abstract class Dialect {

  private final String now;

  Dialect(String now) {
    this.now = now;
  }

  /** Returns this dialect with another clock: an expression in microseconds since 1970. */
  public abstract Dialect withClock(String expression);

  // What it is called.

  /** Returns the name of the database, as people write it. */
  public abstract String title();

  /** Returns what its URLs begin with, such as {@code jdbc:h2:}. */
  public abstract String scheme();

  /** Returns the form of its URLs. */
  public abstract String form();

  /** Returns the Maven coordinates of its driver. */
  public abstract String driver();

  /** Returns the name of its driver's class. */
  public abstract String driverClass();

  /** Tells whether this is the dialect of a connection, as far as the driver can tell. */
  public abstract boolean isOf(DatabaseMetaData metaData) throws SQLException;

  // Fragments of its SQL.

  /** Returns the expression of its clock in microseconds since 1970, the same in a statement. */
  public final String now() {
    return now;
  }

  /** Returns the type of bytes of any length. */
  public abstract String bytes();

  /** Returns the type of a key of bytes, compared one by one, without padding. */
  public abstract String keyBytes();

  /** Returns the type of a column that numbers its rows, and is the key. */
  public abstract String serial();

  /** Returns the function that gives the greater of two numbers. */
  public String greatest() {
    return "GREATEST";
  }

  /** Returns the end of a query that gives that many rows, a number or a parameter. */
  public String first(String count) {
    return " LIMIT " + count;
  }

  /** Returns the end of a query that gives the one row after so many. */
  public String oneAfter(int rows) {
    return " LIMIT 1 OFFSET " + rows;
  }

  /**
   * Returns a condition, always true, by which a statement's commit does not wait for the disk;
   * where a database can do that for one statement. Good for a release: if a crash undoes it, the
   * name stays held until its lease ends, and the commit of any later grant takes it to the disk.
   * And for a refusal, which changes nothing.
   */
  public String unflushed() {
    return "";
  }

  /** Returns the end of the statement that creates a table. */
  public String tableEnd() {
    return "";
  }

  /** Returns the end of the statement that creates a table whose key is a name. */
  public String keyedTableEnd() {
    return tableEnd();
  }

  /** Returns the end of the statement that creates the table of lease records. */
  public String leaseTableEnd() {
    return keyedTableEnd();
  }

  /** Returns what is to be run once that table is there; it may be run again. */
  public Optional<String> leaseTableTuning(String table) {
    return Optional.empty();
  }

  // Statements for lease records.

  /** Returns the way to take a free name in that table. */
  public abstract Taking taking(String table);

  /** Returns the statement that locks the record of a name until the transaction ends. */
  public String lockRecord(String table) {
    return "SELECT version FROM " + table + " WHERE name = ? FOR UPDATE";
  }

  /** Returns how it notifies, if it does. */
  public Optional<Notify> notifies() {
    return Optional.empty();
  }

  /** Returns a query, cheaper than any other, whose number changes when others have written. */
  public Optional<String> changeCounter() {
    return Optional.empty();
  }

  // Statements for row locks.

  /** Tells whether a row can be locked. */
  public boolean hasRowLocks() {
    return true;
  }

  /** Returns what is executed before one waits for a row, to set for how long, if anything. */
  public Optional<String> beforeRowLock(int waitMillis) {
    return Optional.empty();
  }

  /** Returns the end of {@code SELECT … FOR UPDATE}, which waits for about a second or not. */
  public String rowLock(boolean wait) {
    return wait ? "" : " NOWAIT";
  }

  /** Returns a parameter that is a name, where nothing else says so. */
  public abstract String nameParameter();

  /** Tells whether a row is locked by another, and one did not want to wait. */
  public boolean isLockedByOthers(SQLException e) {
    return isRolledBack(e);
  }

  /** Returns for how many seconds a connection waits for a row, where that is a setting of its. */
  public OptionalLong lockWaitSeconds(Connection connection) throws SQLException {
    return OptionalLong.empty();
  }

  /** Sets that, where it is one. */
  public void setLockWaitSeconds(Connection connection, long seconds) throws SQLException {}

  // The fence.

  /** Raises the token of a resource in the caller's transaction; false if there is a higher one. */
  public abstract boolean admit(Connection connection, String table, byte[] resource, long token)
      throws SQLException;

  // Its errors.

  /** Tells whether the database undid the statement because of others, so that it may be tried. */
  public boolean isRolledBack(SQLException e) {
    return state(e).equals("40001");
  }

  /** Tells whether a row with that key exists already. */
  public boolean isDuplicate(SQLException e) {
    return state(e).equals("23505");
  }

  /** Tells whether the user may not do that. */
  public boolean isDenied(SQLException e) {
    return false;
  }

  /** Tells whether the server takes no writes, and did nothing. */
  public boolean isReadOnly(SQLException e) {
    return false;
  }

  /** Tells whether the server ended a statement, undone, that took longer than it may. */
  public boolean isTimeUp(SQLException e) {
    return false;
  }

  /** Tells whether the server refuses for now, and did nothing. */
  public boolean isRefusal(SQLException e) {
    return isReadOnly(e);
  }

  /** Tells whether the connection broke, so that nobody knows what came of the statement. */
  public boolean isConnectionLost(SQLException e) {
    return DriverErrors.isConnectionLost(e);
  }

  /**
   * Tells whether another connection may do better: this one is lost, or leads to a server that was
   * the primary when it was made.
   */
  public final boolean isOfConnection(SQLException e) {
    return isConnectionLost(e) || isReadOnly(e);
  }

  /** Tells whether a connection that could not be made may be had a little later. */
  public final boolean mayPass(SQLException e) {
    return isConnectionLost(e) || isRolledBack(e) || isRefusal(e);
  }

  /** Returns what to do about an error, if the database does not say so itself. */
  public String remedy(SQLException e) {
    return "";
  }

  static String state(SQLException e) {
    String state = e.getSQLState();
    return state == null ? "" : state;
  }

  // Its driver.

  /** Refuses a URL that cannot work, before the driver sees it. */
  public void checkUrl(String url) {}

  /** Tells whether its URLs name hosts. */
  public boolean hasHosts() {
    return true;
  }

  /** Tells whether user and password may stand before the host in its URLs. */
  public boolean takesUserBeforeHost() {
    return false;
  }

  /** Returns the file that a URL names, if that is the whole database. */
  public Optional<Path> file(String url) {
    return Optional.empty();
  }

  /** Returns the file that a connection has open, if that is the whole database. */
  public Optional<Path> file(Connection connection) throws SQLException {
    return Optional.empty();
  }

  /** Returns what its driver is asked for: above all, not to wait for ever. */
  public abstract Properties properties(Driver driver, Duration timeout, String url);

  /** Returns those of the properties that would change a database that is only looked at. */
  public List<String> changingProperties() {
    return List.of();
  }

  /** Returns the properties by which the driver sends each statement whole, for a pooler. */
  public Map<String, String> unpreparedProperties() {
    return Map.of();
  }

  /**
   * Returns the setting of a connection by which the server ends a transaction in which nothing has
   * happened for that long: whoever began it may have vanished with its host, and the records it
   * has locked would stay locked until TCP notices (I6).
   */
  public Map<String, String> endingIdleTransactions(Duration after) {
    return Map.of();
  }

  /** Tells whether there is one writer at a time, however many connections there are. */
  public boolean hasOneWriter() {
    return false;
  }

  /** Tells whether the database at a URL goes, or is closed, with the last connection to it. */
  public boolean goesWithLastConnection(String url) {
    return false;
  }

  /** Tells whether its driver keeps the statements that it has prepared. */
  public boolean keepsStatements() {
    return true;
  }

  /** Tells whether its connections are to be set to {@code READ COMMITTED}. */
  public boolean setsReadCommitted() {
    return true;
  }

  // Its server.

  /** Looks at what the server is besides a database. */
  public abstract ServerTraits traits(Connection connection) throws SQLException;

  /** Looks at what a crash would cost. */
  public abstract List<Finding> durability(Connection connection) throws SQLException;

  static Finding flushed(String setting, String value, List<String> good, String remedy) {
    return good.contains(value)
        ? Finding.fine(setting + " is " + value)
        : Finding.warning(
            setting + " is " + value,
            "a crash may undo the last commits: a lock that was granted then is granted once more,"
                + " though with a higher token",
            "set " + setting + "=" + remedy);
  }

  @Override
  public String toString() {
    return title();
  }
}
