package dev.pawl.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteConformanceTest extends JdbcConformance {

  @TempDir static Path directory;

  @Override
  String url() {
    return "jdbc:sqlite:" + directory.resolve("locks.db");
  }
}
