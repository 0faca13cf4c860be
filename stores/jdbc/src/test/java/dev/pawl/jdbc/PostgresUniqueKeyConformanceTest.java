package dev.pawl.jdbc;

class PostgresUniqueKeyConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.postgres();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.UNIQUE_KEY;
  }
}
