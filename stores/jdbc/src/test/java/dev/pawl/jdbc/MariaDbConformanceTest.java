package dev.pawl.jdbc;

class MariaDbConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mariaDb();
  }
}
