package dev.pawl.jdbc;

class H2ConformanceTest extends JdbcConformance {

  private static final String URL = Databases.h2();

  @Override
  String url() {
    return URL;
  }
}
