package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Sql;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * MariaDB 10.6 or later, by its own driver: MySQL's relative, with the same types, settings and
 * errors, which can return the row that it writes.
 */
public final class MariaDbDialect extends MysqlDialect {

  /** How often the condition that a name is free stands in {@link #taking}, with a mark each. */
  private static final int CONDITIONS = 11;

  /** Returns it. */
  public MariaDbDialect() {
    this(NOW);
  }

  private MariaDbDialect(String now) {
    super(now);
  }

  @Override
  public Dialect withClock(String expression) {
    return new MariaDbDialect(expression);
  }

  @Override
  public String title() {
    return "MariaDB";
  }

  @Override
  public String scheme() {
    return "jdbc:mariadb:";
  }

  @Override
  public String form() {
    return "jdbc:mariadb://host:port/db?user=…&password=…";
  }

  @Override
  public String driver() {
    return "org.mariadb.jdbc:mariadb-java-client";
  }

  @Override
  public String driverClass() {
    return "org.mariadb.jdbc.Driver";
  }

  @Override
  public boolean isOf(DatabaseMetaData metaData) throws SQLException {
    return isMariaDb(metaData) && !isOfOwnDriver(metaData);
  }

  /** Changes nothing where the name is not free, and returns the record in any case. */
  @Override
  public Taking taking(String table) {
    // Assignments are made from left to right and see the ones before: until_us, by which one
    // tells whether the name is free, comes last. In the mode SIMULTANEOUS_ASSIGNMENT, which is
    // part of ORACLE, they do not: none uses what another has assigned.
    String free = "until_us <= VALUE(since_us) AND mark < ?";
    String sql =
        """
        INSERT INTO %1$s (name, version, last_token, mark, claim, permits, token, span,
          since_us, until_us, label, actor, rest)
        VALUES (?, %2$s, %2$s + ? - 1, -1, ?, ?, %2$s, ?, %2$s, %2$s + ?, ?, ?, NULL)
        ON DUPLICATE KEY UPDATE
          version = IF(%3$s, version + 1, version),
          token = IF(%3$s, GREATEST(last_token + 1, VALUE(token)), token),
          last_token =
            IF(%3$s, GREATEST(last_token + 1, VALUE(token)) + VALUE(span) - 1, last_token),
          claim = IF(%3$s, VALUE(claim), claim),
          permits = IF(%3$s, VALUE(permits), permits),
          span = IF(%3$s, VALUE(span), span),
          since_us = IF(%3$s, VALUE(since_us), since_us),
          label = IF(%3$s, VALUE(label), label),
          actor = IF(%3$s, VALUE(actor), actor),
          rest = IF(%3$s, NULL, rest),
          until_us = IF(%3$s, VALUE(until_us), until_us)
        RETURNING %2$s, %4$s
        """
            .formatted(table, now(), free, LeaseRecord.COLUMNS);
    return (connection, command, look) ->
        Sql.one(
                connection,
                sql,
                result -> attempt(LeaseRecord.of(result, 1), command),
                Taking.upsert(command, CONDITIONS))
            .orElseThrow();
  }

  /** A grant that was made by this very statement began at its time, and has its lease. */
  private static Attempt attempt(LeaseRecord record, Command.Acquire command) {
    if (record.state().holders().size() == 1) {
      LockState.Holder holder = record.state().holders().get(0);
      if (holder.claim().equals(command.claim())
          && holder.sinceMicros() == record.nowMicros()
          && holder.untilMicros() == record.nowMicros() + command.leaseMicros()) {
        return new Attempt.Granted(record.grant(holder));
      }
    }
    return new Attempt.Taken(record);
  }

  @Override
  public Map<String, String> endingIdleTransactions(Duration after) {
    return Map.of("idle_transaction_timeout", "" + (after.toMillis() + 999) / 1_000);
  }

  @Override
  public String rowLock(boolean wait) {
    return wait ? " WAIT 1" : " NOWAIT";
  }

  @Override
  public boolean admit(Connection connection, String table, byte[] resource, long token)
      throws SQLException {
    String sql =
        """
        INSERT INTO %s (resource, token) VALUES (?, ?)
        ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUE(token)) RETURNING token"""
            .formatted(table);
    return Sql.one(connection, sql, result -> result.getLong(1), resource, token).orElseThrow()
        == token;
  }

  @Override
  public boolean takesUserBeforeHost() {
    return false;
  }
}
