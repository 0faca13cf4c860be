package dev.pawl.jdbc;

class MysqlUniqueKeyConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysql();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.UNIQUE_KEY;
  }
}
