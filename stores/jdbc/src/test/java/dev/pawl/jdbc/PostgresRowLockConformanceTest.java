package dev.pawl.jdbc;

import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RowLockLimits.class)
class PostgresRowLockConformanceTest extends JdbcConformance {

  @Override
  String url() {
    return Databases.postgres();
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.ROW_LOCK;
  }
}
