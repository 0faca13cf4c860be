package dev.pawl.jdbc;

import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RowLockLimits.class)
class H2RowLockConformanceTest extends JdbcConformance {

  private static final String URL = Databases.h2();

  @Override
  String url() {
    return URL;
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.ROW_LOCK;
  }
}
