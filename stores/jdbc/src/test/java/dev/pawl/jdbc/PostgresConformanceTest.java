package dev.pawl.jdbc;

class PostgresConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.postgres();
  }
}
