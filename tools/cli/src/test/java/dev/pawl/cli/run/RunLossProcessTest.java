package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What becomes of the command of {@code pawl run} when things go wrong, on a Redis server: whoever
 * is granted the lock next finds nothing of it alive. That is asked at the moment of the grant, so
 * that it does not matter how late the test itself is.
 */
@Tag("safety")
class RunLossProcessTest {

  private static final Duration LEASE = Duration.ofSeconds(7);

  private static RedisServer redis;

  @TempDir Path directory;
  private Commands commands;
  private Pawl next;

  /** Commands of two processes that do not end by TERM alone. */
  private enum Family {
    /** Leader and child ignore TERM. */
    STUBBORN("trap '' TERM; sleep 300 & echo $! > %1$s-child; echo $$ > %1$s; wait; wait"),
    /** The leader dies of TERM; its child, which ignores it, stays behind. */
    ORPHANING("(trap '' TERM; exec sleep 300) & echo $! > %1$s-child; echo $$ > %1$s; wait");

    private final String line;

    Family(String line) {
      this.line = line;
    }
  }

  @BeforeAll
  static void startServer() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stopServer() {
    redis.close();
  }

  @BeforeEach
  void setUp() {
    commands = new Commands(directory);
    // It may be asked at a moment at which the server stands still.
    next =
        Pawl.builder(redis.url() + "?timeout=30s").responseTimeout(Duration.ofSeconds(30)).build();
  }

  @AfterEach
  void close() {
    next.close();
  }

  private PawlProcess start(Family family) {
    return start(family, "--lease", "7s");
  }

  private PawlProcess start(Family family, String... options) {
    return commands.start(
        redis.url(),
        Stream.concat(Stream.of("name"), Stream.of(options)).toArray(String[]::new),
        family.line.formatted(commands.file("command")));
  }

  /** Waits for the lock, and tells whether anything of the command was alive when it came. */
  private CompletableFuture<Boolean> aliveAtTheNextGrant(ProcessHandle... processes) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Lease lease = next.lock("name").acquire(Duration.ofMinutes(3))) {
            return Stream.of(processes).anyMatch(Commands::isRunning);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        task -> new Thread(task, "next holder").start());
  }

  private void awaitWaiter() {
    Commands.await(() -> next.inspector().find("name").orElseThrow().waiters().size() == 1);
  }

  private ProcessHandle[] family() {
    return new ProcessHandle[] {commands.running("command"), commands.running("command-child")};
  }

  @ParameterizedTest
  @EnumSource
  void nothingOfTheCommandIsAliveWhenTheLockIsGrantedAfterAnOutage(Family family) throws Exception {
    try (PawlProcess pawl = start(family)) {
      ProcessHandle[] processes = family();
      redis.pause();
      long pausedAt = System.nanoTime();
      try {
        // No renewal since: that is when the store would give the lock on.
        Commands.await(() -> System.nanoTime() - pausedAt > LEASE.toNanos());
        assertThat(processes).noneMatch(Commands::isRunning);
      } finally {
        redis.resume();
      }
      assertThat(aliveAtTheNextGrant(processes).get(3, TimeUnit.MINUTES)).isFalse();
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.err()).contains("sent TERM to sh", "sent KILL to sh");
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingOfTheCommandIsAliveWhenTheLockIsGrantedWhilePawlIsStopped(Family family)
      throws Exception {
    try (PawlProcess pawl = start(family)) {
      ProcessHandle[] processes = family();
      CompletableFuture<Boolean> alive = aliveAtTheNextGrant(processes);
      awaitWaiter();
      pawl.signal("STOP");
      assertThat(alive.get(3, TimeUnit.MINUTES)).isFalse();
      pawl.signal("CONT");
      assertThat(pawl.await().code()).isEqualTo(76);
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingOfTheCommandIsAliveWhenTheLockIsGrantedAfterPawlWasKilled(Family family)
      throws Exception {
    try (PawlProcess pawl = start(family)) {
      ProcessHandle[] processes = family();
      CompletableFuture<Boolean> alive = aliveAtTheNextGrant(processes);
      awaitWaiter();
      pawl.signal("KILL");
      assertThat(alive.get(3, TimeUnit.MINUTES)).isFalse();
    }
  }

  @Test
  void aCommandThatWasFrozenWithPawlIsKilledAtOnceWhenItWakes() throws Exception {
    String line =
        "trap 'echo got TERM' TERM; echo $$ > %s; while :; do sleep 0.05; done"
            .formatted(commands.file("command"));
    try (PawlProcess pawl =
        commands.start(redis.url(), new String[] {"name", "--lease", "7s"}, line)) {
      ProcessHandle command = commands.running("command");
      CompletableFuture<Boolean> granted = aliveAtTheNextGrant();
      awaitWaiter();
      ProcessHandle leash = Commands.leashOf(pawl);
      pawl.signal("STOP");
      // With its alarm, as a frozen container has it.
      PawlProcess.signal(-leash.pid(), "STOP");
      PawlProcess.signal(-command.pid(), "STOP");
      granted.get(3, TimeUnit.MINUTES);
      PawlProcess.signal(-command.pid(), "CONT");
      PawlProcess.signal(-leash.pid(), "CONT");
      Commands.endOf(command);
      pawl.signal("CONT");
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(76);
      // No time to tidy up for one whose time has passed.
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains("sent KILL to sh").doesNotContain("sent TERM");
    }
  }

  @Test
  void aCommandWithoutItsLeashIsEnded() {
    try (PawlProcess pawl = start(Family.STUBBORN)) {
      ProcessHandle[] processes = family();
      Commands.leashOf(pawl).destroyForcibly();
      Commands.endOf(processes);
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.err()).contains("pawl: the leash was killed");
    }
  }

  @Test
  void theLockIsFreeAtOnceWhenTheCommandIsKilled() {
    try (PawlProcess pawl = commands.startSleeper(redis.url(), "victim", "victim")) {
      PawlProcess.signal(commands.running("victim").pid(), "KILL");
      assertThat(pawl.await().code()).isEqualTo(137);
    }
    assertThat(PawlProcess.run(redis.url(), "run", "victim", "-n", "--", "true").code()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aForcedReleaseEndsTheCommand(Family family) {
    try (PawlProcess pawl = start(family)) {
      ProcessHandle[] processes = family();
      LockInfo.Holder holder = next.inspector().find("name").orElseThrow().holders().get(0);
      assertThat(next.inspector().forceRelease("name", holder.token(), "me", "test")).isTrue();
      Commands.endOf(processes);
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(76);
      assertThat(result.err())
          .contains("the lease is lost: sent TERM to sh", "released by force")
          .doesNotContain("not renewed");
    }
  }

  @Test
  void aCommandThatMayLeaveProcessesBehindLeavesNoneWhenItsLeaseIsLost() {
    try (PawlProcess pawl = start(Family.ORPHANING, "--lease", "7s", "--background", "leave")) {
      ProcessHandle[] processes = family();
      redis.pause();
      try {
        Commands.endOf(processes);
      } finally {
        redis.resume();
      }
      assertThat(pawl.await().code()).isEqualTo(76);
    }
  }

  @Test
  void aTickWhoseLeaseWasLostIsLeftToAnother() {
    String[] tick = {"tick", "--lease", "7s", "--tick", "@1794744000"};
    try (PawlProcess pawl = commands.startSleeper(redis.url(), "runner", tick)) {
      ProcessHandle command = commands.running("runner");
      redis.pause();
      try {
        Commands.endOf(command);
      } finally {
        redis.resume();
      }
      assertThat(pawl.await().code()).isEqualTo(76);
    }
    assertThat(commands.start(redis.url(), tick, "exit 0").await().code()).isZero();
  }
}
