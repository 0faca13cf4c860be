package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.InvalidNameException;
import dev.pawl.JournalEntry;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.spi.ClaimId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names, labels and actors with whatever is special to a database, a terminal or a log. */
class HostileTextTest {

  @TempDir Path directory;

  private String url(SqlDatabase database) {
    return Databases.url(database, directory);
  }

  @ParameterizedTest
  @EnumSource
  void hostileNamesDoNoHarm(SqlDatabase database) throws Exception {
    JdbcOptions options = Databases.newTables();
    try (JdbcStore store = JdbcStore.open(url(database), options);
        Pawl pawl = Pawl.builder(store).responseTimeout(Databases.PATIENCE).build()) {
      List<Lease> leases = new ArrayList<>();
      for (String name :
          List.of(
              "'; DROP TABLE pawl_lock; --",
              "a\\",
              "a\\'",
              "%",
              "_",
              "a",
              "A",
              "a ",
              "á",
              "a\u0301",
              "ß",
              "ss",
              "😀",
              "😁",
              "?",
              "{fn now()}",
              "$1",
              "\"",
              "`")) {
        leases.add(pawl.lock(name).tryAcquire().orElseThrow(() -> new AssertionError(name)));
      }
      assertThat(pawl.inspector().list("", 100)).hasSize(leases.size());
      leases.forEach(Lease::close);
    }
  }

  @ParameterizedTest
  @EnumSource
  void labelsAndActorsAreKeptAsTheyAre(SqlDatabase database) {
    JdbcOptions options = Databases.newTables();
    String label = "app\u0000'; DROP TABLE x; --\n\\\u001b[31m%_\ud83d\ude00";
    String actor = "main\u0000\"`?$1\u2028";
    try (JdbcStore store = JdbcStore.open(url(database), options)) {
      store
          .acquire(Commands.acquire("held", new ClaimId("node", 1), 1, label, actor))
          .toCompletableFuture()
          .join();
      assertThat(store.find("held").toCompletableFuture().join().orElseThrow().holders())
          .singleElement()
          .returns(label, LockInfo.Holder::label)
          .returns(actor, LockInfo.Holder::actor);
      store
          .journal()
          .append(JournalEntry.Kind.FORCED_RELEASE, "held", 1, label, Map.of(label, actor));
      assertThat(store.journal().read("held", 1).toCompletableFuture().join())
          .singleElement()
          .returns(label, JournalEntry::node)
          .returns(Map.of(label, actor), JournalEntry::details);
    }
  }

  @Test
  void namesWithControlCharactersAreRefusedBeforeTheyReachADatabase() {
    try (Pawl pawl = Pawl.connect(url(SqlDatabase.SQLITE))) {
      for (String name : List.of("a\u0000", "\u0000", "a\nb", "a\u001bb", "a\u007f", "")) {
        assertThatThrownBy(() -> pawl.lock(name)).isInstanceOf(InvalidNameException.class);
      }
    }
  }
}
