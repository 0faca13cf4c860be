package dev.pawl.jdbc;

class H2UniqueKeyConformanceTest extends JdbcConformance {

  private static final String URL = Databases.h2();

  @Override
  String url() {
    return URL;
  }

  @Override
  JdbcStrategy strategy() {
    return JdbcStrategy.UNIQUE_KEY;
  }
}
