package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands on a primary and its backup; those that act as processes, and each that looks once.
 */
class ModeProcessTest {

  private static final String OPTIONS = " | mode-lease=6s&return-after=1s&dead-after=";

  /** A busy machine may keep everybody from the primary for a second, and it is not dead then. */
  private static final String PATIENT = OPTIONS + "15s";

  private static final String QUICK = OPTIONS + "3s";

  /** What the nodes of this process are listed as begins with the host. */
  private static final String ME = ":" + ProcessHandle.current().pid() + ":";

  @TempDir private Path directory;

  private RedisServer redis;
  private String pair;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
    pair = pair(PATIENT);
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private String pair(String options) {
    return redis.url() + " | sqlite:" + directory.resolve("locks.db") + options;
  }

  private JsonObject mode() {
    Result result = PawlCommand.run(pair, "mode", "--json");
    assertThat(result.code()).as(result.err()).isZero();
    return JsonParser.parseString(result.out()).getAsJsonObject();
  }

  /** Waits until a node has come to a mode, and so has everybody who looks. */
  private void awaitMode(Pawl node, String mode) {
    await(() -> node.store().mode().equals(Optional.of(mode)));
    assertThat(mode().get("mode").getAsString()).isEqualTo(mode);
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("waited").isLessThan(TimeUnit.MINUTES.toNanos(2));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static void refused(Result result, int code, String... clues) {
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(code);
    assertThat(result.err()).contains(clues).matches("pawl: [^\n]+\n");
  }

  @Test
  void theModeIsShownWithWhoIsConnected() throws Exception {
    try (Pawl node = Pawl.builder(pair).label("web-1").build();
        Lease lease = node.lock("invoice:42").acquire()) {
      Result shown = PawlProcess.run(pair, "mode");
      assertThat(shown.code()).as(shown.err()).isZero();
      assertThat(shown.out()).contains("mode    primary", "redis://127.0.0.1", "sqlite:", ME);
      assertThat(PawlCommand.run(pair, "mode", "-q").out()).isEqualTo("primary\n");
      JsonObject json = mode();
      assertThat(json.get("leaseSeconds").getAsDouble()).isEqualTo(6);
      assertThat(json.getAsJsonArray("nodes").toString())
          .contains(ME, "\"votes\":true,\"confirmed\":true");
      Result list = PawlProcess.run(pair, "ls");
      assertThat(list.out()).contains("invoice:42", "web-1", "" + lease.token());
      assertThat(list.err()).isEmpty();
    }
  }

  @Test
  void whatIsNoPairHasNoMode() {
    refused(PawlCommand.run(redis.url(), "mode"), 64, "is no pair", "--store 'PRIMARY | BACKUP'");
    refused(PawlCommand.run(pair, "mode", "--switch", "backup", "-y"), 64, "--reason is missing");
    refused(PawlCommand.run(pair, "mode", "--switch", "backup", "-r", "x"), 64, "--yes");
    refused(PawlCommand.run(pair, "mode", "--switch", "nowhere", "-r", "x"), 64, "BACKUP, PRIMARY");
    refused(PawlCommand.run(pair, "mode", "--yes"), 64, "--switch");
  }

  @Test
  void aPersonMovesTheLocksAndTheJournalSaysWho() throws Exception {
    try (Pawl node = Pawl.builder(pair).label("web-1").build()) {
      long before;
      try (Lease lease = node.lock("x").acquire()) {
        before = lease.token();
      }
      Result moved =
          PawlProcess.run(pair, "mode", "--switch", "backup", "--reason", "an upgrade", "--yes");
      assertThat(moved.code()).as(moved.err()).isZero();
      awaitMode(node, "backup");
      refused(
          PawlCommand.run(pair, "mode", "--switch", "backup", "-r", "again", "-y"), 75, "already");
      long meanwhile;
      try (Lease lease = node.lock("x").acquire()) {
        meanwhile = lease.token();
        Result list = PawlProcess.run(pair, "ls");
        assertThat(list.out()).contains("x", "web-1", "" + meanwhile);
        assertThat(list.err()).contains("mode: backup (chosen by a person)", "an upgrade");
        assertThat(PawlCommand.run(pair, "top").out()).contains("mode: backup");
        Result doctor = PawlCommand.run(pair, "doctor");
        assertThat(doctor.out()).contains("warning mode: backup", "pawl mode --switch primary");
      }
      assertThat(meanwhile).isGreaterThan(before);
      assertThat(PawlCommand.run(pair, "journal").out())
          .contains("mode changed", "an upgrade", "by=");
      assertThat(PawlProcess.run(pair, "mode", "--switch", "primary", "-r", "done", "-y").code())
          .isZero();
      awaitMode(node, "primary");
      try (Lease lease = node.lock("x").acquire()) {
        assertThat(lease.token()).isGreaterThan(meanwhile);
      }
    }
  }

  @Test
  void aDeadPrimaryIsLeftAndCommandsGoOn() throws Exception {
    pair = pair(QUICK);
    try (Pawl first = Pawl.builder(pair).label("web-1").build();
        Pawl second = Pawl.builder(pair).label("web-2").build()) {
      assertThat(PawlProcess.run(pair, "run", "nightly", "--", "echo", "ran").out())
          .isEqualTo("ran\n");
      redis.kill();
      awaitMode(first, "backup");
      Result run = PawlProcess.run(pair, "run", "nightly", "--", "echo", "ran");
      assertThat(run).isEqualTo(new Result(0, "ran\n", run.err()));
      assertThat(PawlCommand.run(pair, "mode").out()).contains("mode    backup", "see the primary");
      Result doctor = PawlProcess.run(pair, "doctor");
      assertThat(doctor.out()).contains("warning mode: backup");
      assertThat(first.lock("x").tryAcquire()).isPresent();
      redis.startAgain();
      awaitMode(second, "primary");
      assertThat(second.lock("y").tryAcquire()).isPresent();
    }
  }

  @Test
  void aCommandUnderALeaseIsDeadBeforeTheLocksAreElsewhere() throws Exception {
    Path alive = directory.resolve("alive");
    String beat = "trap '' TERM; while :; do date +%s%N > " + alive + "; sleep 0.05; done";
    try (Pawl node = Pawl.builder(pair).label("web-1").build();
        PawlProcess run = PawlProcess.start(pair, "run", "x", "--", "sh", "-c", beat)) {
      await(() -> Files.exists(alive));
      assertThat(PawlProcess.run(pair, "mode", "--switch", "backup", "-r", "t", "-y").code())
          .isZero();
      awaitMode(node, "backup");
      try (Lease lease = node.lock("x").acquire()) {
        String last = Files.readString(alive);
        Result ended = run.await();
        assertThat(ended.code()).as(ended.err()).isEqualTo(76);
        assertThat(Files.readString(alive)).as("nothing ran beside the new holder").isEqualTo(last);
        assertThat(lease.isHeld()).isTrue();
      }
    }
  }

  @Test
  void aNodeThatKnowsThePrimaryAloneIsRefusedUntilThePairIsDissolved() throws Exception {
    try (Pawl node = Pawl.builder(pair).label("web-1").build()) {
      node.lock("x").acquire().close();
      assertThatThrownBy(() -> Pawl.connect(redis.url()))
          .isInstanceOf(PawlException.class)
          .hasMessageContaining("is the primary of a pair")
          .hasMessageContaining("PRIMARY | BACKUP");
      refused(
          PawlProcess.run(redis.url(), "run", "x", "--", "true"), 69, "is the primary of a pair");
      assertThat(PawlCommand.run(redis.url(), "ls").code()).isZero();
      Result refused = PawlProcess.run(pair, "mode", "--dissolve", "-r", "x", "-y");
      assertThat(refused.code()).as(refused.err()).isEqualTo(75);
      assertThat(refused.err()).contains("connected to the pair");
    }
    Result dissolved = PawlProcess.run(pair, "mode", "--dissolve", "-r", "too much", "-y");
    assertThat(dissolved.code()).as(dissolved.err()).isZero();
    try (Pawl alone = Pawl.connect(redis.url());
        Lease lease = alone.lock("x").acquire()) {
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void aCommandThatEndedIsNotListedAndOneThatWasKilledGoesWithItsModeLease() throws Exception {
    assertThat(PawlProcess.run(pair, "run", "x", "--", "true").code()).isZero();
    assertThat(PawlProcess.run(pair, "run", "x", "--", "sh", "-c", "exit 3").code()).isEqualTo(3);
    assertThat(PawlProcess.run(pair, "run", "j", "--once-per", "1h", "--", "true").code()).isZero();
    assertThat(mode().getAsJsonArray("nodes")).isEmpty();

    Path ready = directory.resolve("ready");
    try (PawlProcess run =
        PawlProcess.start(pair, "run", "x", "--", "sh", "-c", "touch " + ready + "; sleep 600")) {
      await(() -> Files.exists(ready));
      run.signal("TERM");
      run.await();
    }
    assertThat(mode().getAsJsonArray("nodes")).isEmpty();

    Files.delete(ready);
    try (PawlProcess run =
        PawlProcess.start(pair, "run", "x", "--", "sh", "-c", "touch " + ready + "; sleep 600")) {
      await(() -> Files.exists(ready));
      run.signal("KILL");
      run.await();
    }
    assertThat(mode().getAsJsonArray("nodes")).hasSize(1);
    Result dissolved = PawlProcess.run(pair, "mode", "--dissolve", "-r", "x", "-y");
    assertThat(dissolved.code()).as(dissolved.err()).isZero();
  }

  @Test
  void aBackupThatIsAwayIsNamedByTheDoctor() {
    String away = redis.url() + " | jdbc:postgresql://127.0.0.1:1/none?user=u&password=hush";
    Result doctor = PawlProcess.run(away, "doctor");
    assertThat(doctor.code()).as(doctor.out() + doctor.err()).isEqualTo(1);
    assertThat(doctor.out() + doctor.err())
        .contains("backup: cannot be reached", "mode lease", "primary: round trip")
        .doesNotContain("hush");
    refused(PawlCommand.run(away, "ls"), 69, "127.0.0.1:1");
  }

  @Test
  void namesAreCompletedThoughTheStoreIsInQuotes() throws Exception {
    try (Pawl node = Pawl.builder(pair).label("web-1").build();
        Lease lease = node.lock("invoice:42").acquire()) {
      String line =
          """
          source <("$PAWL" completion bash)
          compopt() { :; }
          COMP_LINE="$PAWL show --store '$STORE' inv" COMP_POINT=${#COMP_LINE}
          COMP_WORDS=($PAWL show --store "'$STORE'" inv) COMP_CWORD=4
          COMPREPLY=()
          _pawl_names; echo "${COMPREPLY[*]}"
          """;
      try (PawlProcess bash = PawlProcess.startBash(Map.of("STORE", pair), line)) {
        Result result = bash.await();
        assertThat(result.out()).as(result.err()).contains("invoice:42");
      }
      assertThat(lease.isHeld()).isTrue();
    }
  }
}
