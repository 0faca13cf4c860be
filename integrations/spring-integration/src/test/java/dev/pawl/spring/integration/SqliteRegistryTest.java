package dev.pawl.spring.integration;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteRegistryTest extends RegistryCases {

  @TempDir Path directory;

  @Override
  String url() {
    return "sqlite:" + directory.resolve("locks.db");
  }
}
