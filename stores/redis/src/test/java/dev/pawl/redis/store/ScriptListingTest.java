package dev.pawl.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.port.Script;
import dev.pawl.redis.redlock.RedlockScripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The scripts as a server gets them, put together, in {@code stores/redis/scripts/}: a change of
 * one is a diff. They are written anew with {@code -Dpawl.acceptScripts=true}.
 */
class ScriptListingTest {

  private static final Path LISTING = Path.of("scripts");

  private static Map<String, Script> scripts() {
    Scripts one = Scripts.STANDARD;
    RedlockScripts vote = RedlockScripts.STANDARD;
    Map<String, Script> scripts = new TreeMap<>();
    Stream.of(
            one.acquire(),
            one.renew(),
            one.release(),
            one.yieldGrant(),
            one.cancel(),
            one.evict(),
            one.reset(),
            one.find(),
            vote.acquire(),
            vote.yieldGrant(),
            vote.release(),
            vote.cancel(),
            vote.token(),
            Scripts.NOW,
            Scripts.FENCE,
            Scripts.JOURNAL_APPEND,
            Scripts.JOURNAL_READ,
            Scripts.REGISTER_READ,
            Scripts.REGISTER_WRITE)
        .forEach(script -> scripts.put(script.file(), script));
    return scripts;
  }

  @Test
  void theListingIsWhatServersGet() throws IOException {
    Map<String, Script> scripts = scripts();
    if (Boolean.getBoolean("pawl.acceptScripts")) {
      Files.createDirectories(LISTING);
      for (Script script : scripts.values()) {
        Files.writeString(LISTING.resolve(script.file()), script.text());
      }
    }
    try (Stream<Path> files = Files.list(LISTING)) {
      assertThat(files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()))
          .isEqualTo(scripts.keySet());
    }
    for (Script script : scripts.values()) {
      assertThat(LISTING.resolve(script.file()))
          .as("run this test with -Dpawl.acceptScripts=true if the change is meant")
          .hasContent(script.text());
    }
  }
}
