package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the options that name the store may be on the line. */
class StoreOptionTest {

  @TempDir private Path directory;

  private String store(String name) {
    return "sqlite:" + directory.resolve(name + ".db");
  }

  private static Result pawl(String... arguments) {
    return PawlCommand.run("sqlite:/no/such/directory/locks.db", arguments);
  }

  @Test
  void theStoreIsNamedBeforeTheCommandOrAfterIt() {
    assertThat(pawl("--store", store("a"), "run", "x", "--", "true").code()).isZero();
    assertThat(pawl("ls", "--all", "-q", "--store", store("a")).out()).isEqualTo("x\n");
    assertThat(pawl("--store", store("a"), "ls", "--all", "-q").out()).isEqualTo("x\n");
  }

  @Test
  void whatIsNamedNextToTheCommandCounts() {
    assertThat(pawl("run", "a", "--store", store("a"), "--", "true").code()).isZero();
    assertThat(pawl("run", "b", "--store", store("b"), "--", "true").code()).isZero();
    assertThat(pawl("--store", store("a"), "ls", "--all", "-q", "--store", store("b")).out())
        .isEqualTo("b\n");
  }

  @Test
  void aDecisionAboutAJobIsMadeInTheStoreThatIsNamedBeforeIt() {
    assertThat(pawl("run", "sms", "--once-per", "1h", "--store", store("a"), "--", "true").code())
        .isZero();
    Result paused = pawl("jobs", "--store", store("a"), "pause", "sms", "--reason", "too many");
    assertThat(paused.code()).as(paused.err()).isZero();
    assertThat(pawl("--store", store("a"), "jobs").out()).contains("sms").contains("too many");
    assertThat(pawl("--store", store("a"), "jobs", "resume", "sms").code()).isZero();
    assertThat(pawl("jobs", "--store", store("a"), "reset", "sms").err())
        .doesNotContain("/no/such/directory");
  }

  @Test
  void twoOptionsBeforeTheCommandExcludeEachOtherAsAfterIt() {
    Result result = pawl("--store", store("a"), "--profile", "b", "ls");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("exclude each other");
  }

  @Test
  void aStoreThatNobodyElseSeesIsRefusedWhereItWouldLockNobodyOut() {
    for (String store : new String[] {"memory:", "jdbc:h2:mem:x"}) {
      Result result = pawl("run", "x", "--store", store, "--", "true");
      assertThat(result.code()).isEqualTo(ExitCode.USAGE);
      assertThat(result.err()).contains(store, "locks nobody out");
    }
  }

  @Test
  void aFileWithoutItsSchemeIsToldHowItIsWritten() {
    Result result = pawl("ls", "--store", "locks.db");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("sqlite:locks.db");
  }

  @Test
  void otherOptionsBeforeACommandOfACommandAreRefused() {
    Result result = pawl("jobs", "--store", store("a"), "--json", "pause", "sms", "-r", "why");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("--json belongs after pause");
    assertThat(pawl("--help", "ls").code()).isZero();
    assertThat(pawl("jobs", "--help", "pause").out()).contains("pawl jobs");
  }
}
