package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What becomes of the command of {@code pawl run} when things go wrong, on a Redis server. */
@Isolated("it measures how late a command is ended")
class RunLossProcessTest {

  private static final Duration LEASE = Duration.ofSeconds(5);

  /** A command with a child in its group; both ignore TERM, so that only KILL ends them. */
  private static final String STUBBORN =
      "trap '' TERM; sleep 300 & echo $$ > %1$s; echo $! > %1$s-child; wait; wait";

  private static RedisServer redis;

  @TempDir Path directory;
  private Commands commands;
  private int names;

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
  }

  private String newName(String kind) {
    return kind + ++names;
  }

  private PawlProcess stubborn(String name) {
    return commands.start(
        redis.url(), new String[] {name, "--lease", "5s"}, STUBBORN.formatted(commands.file(name)));
  }

  @Test
  void theCommandIsDeadBeforeItsLeaseEndsWhenTheStoreStops() throws Exception {
    Measurement.inOneOfFive(this::stopTheStore);
  }

  private void stopTheStore() {
    String name = newName("paused");
    try (PawlProcess pawl = stubborn(name)) {
      ProcessHandle command = commands.running(name);
      ProcessHandle child = commands.running(name + "-child");
      long pausedAt = System.nanoTime();
      redis.pause();
      try {
        long endedAt = Commands.endOf(command, child);
        // No renewal after the pause: the store would give the lock on at that time plus the lease.
        assertThat(Duration.ofNanos(endedAt - pausedAt)).isLessThan(LEASE);
        Result result = pawl.await();
        assertThat(result.code()).isEqualTo(76);
        assertThat(result.err()).contains("sent TERM to sh", "sent KILL to sh");
      } finally {
        redis.resume();
      }
    }
  }

  @Test
  void theCommandIsDeadBeforeItsLeaseEndsWhenPawlIsStopped() throws Exception {
    Measurement.inOneOfFive(this::stopPawl);
  }

  private void stopPawl() {
    String name = newName("stopped");
    try (PawlProcess pawl = stubborn(name)) {
      ProcessHandle command = commands.running(name);
      ProcessHandle child = commands.running(name + "-child");
      long stoppedAt = System.nanoTime();
      pawl.signal("STOP");
      long endedAt = Commands.endOf(command, child);
      assertThat(Duration.ofNanos(endedAt - stoppedAt)).isLessThan(LEASE);
      pawl.signal("CONT");
      assertThat(pawl.await().code()).isEqualTo(76);
    }
  }

  @Test
  void theCommandDiesWithPawlAndTheLockIsFreeWithinTheLeaseAndASecond() throws Exception {
    Measurement.inOneOfFive(this::killPawl);
  }

  private void killPawl() throws Exception {
    String name = newName("killed");
    try (PawlProcess pawl = stubborn(name);
        Pawl node = Pawl.connect(redis.url())) {
      node.lock("another").acquire().close();
      ProcessHandle command = commands.running(name);
      ProcessHandle child = commands.running(name + "-child");
      long killedAt = System.nanoTime();
      pawl.signal("KILL");
      assertThat(Duration.ofNanos(Commands.endOf(command, child) - killedAt)).isLessThan(LEASE);
      node.lock(name).acquire(Duration.ofMinutes(1)).close();
      assertThat(Duration.ofNanos(System.nanoTime() - killedAt))
          .isLessThan(LEASE.plusSeconds(1).plusMillis(500));
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

  @Test
  void aForcedReleaseEndsTheCommand() {
    try (PawlProcess pawl = stubborn("forced");
        Pawl operator = Pawl.connect(redis.url())) {
      ProcessHandle command = commands.running("forced");
      ProcessHandle child = commands.running("forced-child");
      LockInfo.Holder holder = operator.inspector().find("forced").orElseThrow().holders().get(0);
      assertThat(operator.inspector().forceRelease("forced", holder.token(), "me", "test"))
          .isTrue();
      Commands.endOf(command, child);
      assertThat(pawl.await().code()).isEqualTo(76);
    }
  }

  @Test
  void aTickWhoseLeaseWasLostIsLeftToAnother() {
    String[] tick = {"tick", "--lease", "5s", "--tick", "@1794744000"};
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
