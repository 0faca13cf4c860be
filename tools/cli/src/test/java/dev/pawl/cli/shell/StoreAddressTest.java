package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
