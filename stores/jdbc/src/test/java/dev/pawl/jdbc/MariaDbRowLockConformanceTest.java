package dev.pawl.jdbc;

import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RowLockLimits.class)
class MariaDbRowLockConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.mariaDb();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.ROW_LOCK;
  }
}
