package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who asks for a name that is a job's, or in a store that is not there, is told so. */
class HintsTest {

  @TempDir private Path directory;
  private String store;

  @BeforeEach
  void run() {
    store = "sqlite:" + directory.resolve("locks.db");
    assertThat(pawl("run", "nightly", "--once-per", "1h", "--", "true").code()).isZero();
  }

  private Result pawl(String... arguments) {
    return PawlCommand.run(store, arguments);
  }

  @Test
  void thereIsAJobOfThatName() {
    Result waited = pawl("wait", "nightly");
    assertThat(waited.code()).isZero();
    assertThat(waited.err()).contains("a job of that name", "pawl wait job:nightly");
    assertThat(pawl("wait", "job:nightly").err()).isEmpty();
    assertThat(pawl("wait", "other").err()).isEmpty();
    assertThat(pawl("journal", "nightly").err()).contains("pawl journal job:nightly");
    assertThat(pawl("show", "nightly").err()).contains("pawl show job:nightly");
    assertThat(pawl("release", "nightly", "-t", "1", "-r", "a test", "--yes").err())
        .contains("nothing was released", "pawl release job:nightly");
  }

  @Test
  void theStoreIsNotThere() {
    store = "sqlite:" + directory.resolve("lokcs.db");
    Result waited = pawl("wait", "deploy");
    assertThat(waited.code()).isZero();
    assertThat(waited.err()).contains("lokcs.db is not there yet");
    assertThat(pawl("journal").err()).contains("lokcs.db is not there yet");
    assertThat(pawl("jobs").err()).contains("lokcs.db is not there yet");
    assertThat(pawl("release", "deploy", "-t", "1", "-r", "a test", "--yes").err())
        .contains("lokcs.db is not there yet");
  }

  @Test
  void aJobMayBeNamedAsItsLockIs() {
    assertThat(pawl("run", "job:weekly", "--once-per", "1h", "--", "true").code()).isZero();
    assertThat(pawl("jobs", "-q").out()).isEqualTo("nightly\nweekly\n");
    assertThat(pawl("jobs", "pause", "job:weekly", "-r", "a test").out())
        .isEqualTo("paused weekly\n");
  }
}
