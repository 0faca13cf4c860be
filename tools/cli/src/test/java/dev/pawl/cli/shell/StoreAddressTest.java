package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreAddressTest {

  @Test
  void aPairIsHandedOnWithFilesThatMeanTheSameElsewhere() {
    Map<String, String> environment = new HashMap<>();
    StoreAddress.ofUrl("redis://cache   |  sqlite:locks.db").putInto(environment, false);
    assertThat(environment)
        .containsExactly(
            Map.entry(
                StoreAddress.URL,
                "redis://cache | sqlite:" + Path.of("").toAbsolutePath().resolve("locks.db")));
  }

  @Test
  void aPairWithASecretInItsBackupIsWithheld() {
    Map<String, String> environment = new HashMap<>();
    StoreAddress.ofUrl("redis://cache | jdbc:postgresql://db/app?password=hush")
        .putInto(environment, false);
    assertThat(environment).containsOnlyKeys(StoreAddress.WITHHELD);
  }

  @Test
  void onlyAStoreThatIsAllInFilesIsOne() {
    assertThat(StoreAddress.ofUrl("sqlite:locks.db").isFile()).isTrue();
    assertThat(StoreAddress.ofUrl("redis://cache | sqlite:locks.db").isFile()).isFalse();
  }

  @Test
  void aRelativePathInAFileMeansTheSameElsewhere(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("url"), "  # the store\nsqlite:locks.db\n");
    Map<String, String> environment = new HashMap<>();
    StoreAddress.ofFile(file.toString()).putInto(environment, false);
    assertThat(environment)
        .containsExactly(
            Map.entry(
                StoreAddress.URL, "sqlite:" + Path.of("").toAbsolutePath().resolve("locks.db")));

    Files.writeString(file, "sqlite:/var/lib/locks.db\n");
    StoreAddress.ofFile(file.toString()).putInto(environment, false);
    assertThat(environment).containsExactly(Map.entry(StoreAddress.FILE, file.toString()));
  }
}
