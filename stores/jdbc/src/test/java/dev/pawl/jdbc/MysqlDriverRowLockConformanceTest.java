package dev.pawl.jdbc;

import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RowLockLimits.class)
class MysqlDriverRowLockConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysqlDriver();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.ROW_LOCK;
  }
}
