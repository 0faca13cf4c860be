package dev.pawl.jdbc;

import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RowLockLimits.class)
class MysqlRowLockConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mysql();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.ROW_LOCK;
  }
}
