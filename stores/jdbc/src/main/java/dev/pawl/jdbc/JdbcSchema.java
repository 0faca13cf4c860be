package dev.pawl.jdbc;

import dev.pawl.jdbc.schema.Schema;

/** The tables of a store, printed for a DBA; where they may be created, the store does it. */
public final class JdbcSchema {

  private JdbcSchema() {}

  /** Returns the statements that create the tables, to be run by hand. */
  public static String sql(SqlDatabase database, JdbcOptions options) {
    return String.join(";\n\n", Schema.statements(database.dialect(), options.tables())) + ";\n";
  }
}
