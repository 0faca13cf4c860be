package dev.pawl.jdbc;

import dev.pawl.jdbc.schema.Tables;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * How locks are kept in a database: an immutable value, checked when it is made.
 *
 * @param strategy what a lock is in the database
 * @param schema the schema of the tables, which stands in statements without quotes; empty for the
 *     connection's own
 * @param prefix what the names of the tables begin with
 * @param createSchema whether missing tables are created; where not, a DBA runs {@link
 *     JdbcSchema#sql}
 * @param retention how long the record of an idle name is kept: 1 s to 30 days. Longer than the
 *     database's clock may ever be set back. With the unique-key strategy a record goes after twice
 *     the timeout.
 * @param poolSize how many connections a pool for a URL has at most: 1 to 100
 * @param timeout how long one statement, or the wait for a connection, may take: 100 ms to 1 min
 */
public record JdbcOptions(
    JdbcStrategy strategy,
    String schema,
    String prefix,
    boolean createSchema,
    Duration retention,
    int poolSize,
    Duration timeout) {

  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");
  private static final int MOST_PREFIX_CHARS = 40;

  /**
   * Lease records in tables {@code pawl_…}, created when missing, idle names kept for an hour,
   * eight connections, three seconds. An hour outlasts every correction of a clock but a wrong time
   * zone.
   */
  public static final JdbcOptions DEFAULT =
      new JdbcOptions(
          JdbcStrategy.LEASE_RECORD,
          "",
          "pawl_",
          true,
          Duration.ofHours(1),
          8,
          Duration.ofSeconds(3));

  /** Fails with the field, its value and what is allowed. */
  public JdbcOptions {
    Objects.requireNonNull(strategy, "strategy");
    if (!schema.isEmpty()) {
      checkIdentifier("schema", schema);
    }
    checkIdentifier("prefix", prefix);
    if (prefix.length() > MOST_PREFIX_CHARS) {
      throw new IllegalArgumentException(
          "prefix has " + prefix.length() + " characters; allowed are " + MOST_PREFIX_CHARS);
    }
    DurationText.check("retention", retention, Duration.ofSeconds(1), Duration.ofDays(30));
    DurationText.check("timeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(1));
    if (poolSize < 1 || poolSize > 100) {
      throw new IllegalArgumentException("poolSize is " + poolSize + "; allowed is 1 to 100");
    }
  }

  /** Checks a name that becomes part of a statement. */
  static void checkIdentifier(String field, String value) {
    if (!IDENTIFIER.matcher(value).matches()) {
      throw new IllegalArgumentException(
          field
              + " is \""
              + value.replaceAll("\\p{Cntrl}", "?")
              + "\"; allowed are letters, digits and _, up to 63, not beginning with a digit");
    }
  }

  /** Returns these options with another strategy. */
  public JdbcOptions withStrategy(JdbcStrategy strategy) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns these options with another schema. */
  public JdbcOptions withSchema(String schema) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns these options with another prefix of the tables. */
  public JdbcOptions withPrefix(String prefix) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns these options with the creation of tables on or off. */
  public JdbcOptions withCreateSchema(boolean createSchema) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns these options with another retention of idle names. */
  public JdbcOptions withRetention(Duration retention) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns these options with another size of the pool. */
  public JdbcOptions withPoolSize(int poolSize) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns these options with another timeout of statements. */
  public JdbcOptions withTimeout(Duration timeout) {
    return new JdbcOptions(strategy, schema, prefix, createSchema, retention, poolSize, timeout);
  }

  /** Returns for how long a statement may be under way: in the driver, and then in the server. */
  Duration underWay() {
    Duration longest = timeout.multipliedBy(2);
    return longest.compareTo(retention) < 0 ? longest : retention;
  }

  /** Returns the names of the tables. */
  Tables tables() {
    return new Tables(schema.isEmpty() ? prefix : schema + "." + prefix);
  }
}
