package dev.pawl.cli.pair;

import dev.pawl.Pawl;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairedStore;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The pair behaves as every store does, while PostgreSQL has the locks. */
@EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = "takes minutes")
class BackupModeServersTest extends ServersConformance {

  @Override
  void prepare(String url) {
    try (Pawl node = Pawl.connect(url)) {
      PairedStore pair = (PairedStore) node.store();
      pair.status()
          .thenCompose(seen -> pair.move(seen, Mode.BACKUP, "test", "conformance"))
          .toCompletableFuture()
          .join();
      while (!pair.mode().equals(Optional.of("backup"))) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }
}
