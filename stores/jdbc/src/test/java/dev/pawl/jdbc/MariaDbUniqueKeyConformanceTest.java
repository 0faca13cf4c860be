package dev.pawl.jdbc;

class MariaDbUniqueKeyConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mariaDb();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.UNIQUE_KEY;
  }
}
