package dev.pawl.jdbc;

class MysqlConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysql();
  }
}
