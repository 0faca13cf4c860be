package dev.pawl.shedlock;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteProviderTest extends ProviderCases {

  @TempDir static Path directory;

  @Override
  String url() {
    return "jdbc:sqlite:" + directory.resolve("locks.db");
  }
}
