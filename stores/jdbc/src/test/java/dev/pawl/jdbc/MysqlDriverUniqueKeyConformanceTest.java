package dev.pawl.jdbc;

class MysqlDriverUniqueKeyConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysqlDriver();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.UNIQUE_KEY;
  }
}
