package dev.pawl.jdbc;

class MysqlDriverConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysqlDriver();
  }
}
