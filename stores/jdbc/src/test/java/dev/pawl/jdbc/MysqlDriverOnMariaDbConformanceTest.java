package dev.pawl.jdbc;

class MysqlDriverOnMariaDbConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysqlDriverOnMariaDb();
  }
}
