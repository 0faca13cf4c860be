package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A primary and its backup: where the locks are is on every page, and that it changed is audited.
 */
class PairTest {

  @TempDir Path directory;

  /** Kept, since a lease whose handle nobody has ends. */
  private final List<Lease> held = new ArrayList<>();

  @Test
  void theModeIsShownAndItsChangesAreAudited() throws Exception {
    String url =
        "sqlite:%s | sqlite:%s"
            .formatted(directory.resolve("primary.db"), directory.resolve("backup.db"));
    try (Pawl pawl = Pawl.builder(url).label("app@one").build();
        Browser browser = Browser.start("en")) {
      held.add(pawl.lock("seen").acquire());
      try (Fixture console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
        browser.open(console.link());
        browser.find("[data-name='seen']");
        assertThat(browser.all("#pair-mode")).isEmpty();
        assertThat(console.ask("session").get("mode").getAsString()).isEqualTo("primary");

        PairedStore pair = (PairedStore) pawl.store();
        PairStatus seen = pair.status().toCompletableFuture().get();
        pair.move(seen, PairStatus.Mode.BACKUP, "olga@ops", "an upgrade tonight")
            .toCompletableFuture()
            .get();
        browser.awaitText("The locks are in the backup store.");
        browser.go("store");
        browser.awaitText("in the backup");
        browser.awaitText("A person has chosen the backup");
        browser.go("audit");
        browser.awaitText("an upgrade tonight");
        browser.awaitText("olga@ops");
        // That it has got there is written down by the nodes, and by nobody else.
        browser.awaitText("by itself");
        browser.awaitText("leaving the primary");
        assertThat(browser.problems()).isEmpty();
      }
    }
  }
}
