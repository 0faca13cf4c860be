package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal for {@code pawl run} at every moment of its life. */
class RunSignalProcessTest {

  /** That of TERM in a set of signals. */
  private static final long TERM_BIT = 1L << 14;

  @TempDir Path directory;
  private String store;
  private Commands commands;

  @BeforeEach
  void setUp() {
    store = "sqlite:" + directory.resolve("locks.db");
    commands = new Commands(directory);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT", "HUP"})
  void aSignalIsPassedOnAndTheCommandDecides(String signal) {
    String line =
        "trap 'echo got; exit 7' %s; echo $$ > %s; while :; do sleep 0.05; done"
            .formatted(signal, commands.file("trapper"));
    try (PawlProcess pawl = commands.start(store, new String[] {"a"}, line)) {
      commands.running("trapper");
      pawl.assumeHeeds(signal);
      pawl.signal(signal);
      Result result = pawl.await();
      assertThat(result.out()).isEqualTo("got\n");
      assertThat(result.code()).isEqualTo(7);
    }
    assertNothingIsHeld("a");
  }

  /** As {@code systemctl stop} does: to all in the control group, the leash and the command too. */
  @Test
  void aSignalToEveryProcessLeavesTheCommandTimeToEnd() {
    String line =
        "trap 'sleep 0.5; echo done; exit 7' TERM; echo $$ > %s; while :; do sleep 0.05; done"
            .formatted(commands.file("trapper"));
    try (PawlProcess pawl = commands.start(store, new String[] {"a"}, line)) {
      ProcessHandle command = commands.running("trapper");
      ProcessHandle leash = Commands.leashOf(pawl);
      Commands.await(() -> ignoresTerm(leash));
      PawlProcess.signal(leash.pid(), "TERM");
      pawl.signal("TERM");
      PawlProcess.signal(command.pid(), "TERM");
      Result result = pawl.await();
      assertThat(result.out()).endsWith("done\n");
      assertThat(result.err()).doesNotContain("pawl:"); // A shell tells of its own children.
      assertThat(result.code()).isEqualTo(7);
    }
    assertNothingIsHeld("a");
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
  void aSignalEndsTheWait(String signal, int code) throws Exception {
    try (Pawl holder = Pawl.connect(store);
        Lease lease = holder.lock("a").acquire();
        PawlProcess waiter = startMarker("a")) {
      Commands.await(() -> waiters(holder, "a") == 1);
      waiter.assumeHeeds(signal);
      waiter.signal(signal);
      assertThat(waiter.await()).isEqualTo(new Result(code, "", ""));
      assertThat(waiters(holder, "a")).isZero();
      assertThat(lease.isHeld()).isTrue();
    }
    assertNothingWasStarted();
  }

  @Test
  void aSignalEndsTheWaitOfAStandby() throws Exception {
    try (Pawl holder = Pawl.connect(store)) {
      CountDownLatch running = new CountDownLatch(1);
      var unused =
          holder
              .job("a")
              .runOrStandBy(
                  new dev.pawl.Job.Tick.At(java.time.Instant.parse("2026-11-15T12:00:00Z")),
                  run -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return 0;
                  });
      running.await();
      try (PawlProcess waiter = startMarker("a", "--tick", "2026-11-15T12:00:00Z")) {
        Commands.await(() -> waiters(holder, "job:a") == 1);
        waiter.signal("TERM");
        assertThat(waiter.await()).isEqualTo(new Result(143, "", ""));
      }
    }
    assertNothingWasStarted();
  }

  /** A server that takes connections and says nothing. */
  @ParameterizedTest
  @CsvSource({
    "redis://127.0.0.1:%d, TERM, 143",
    "redis://127.0.0.1:%d, INT, 130",
    "jdbc:postgresql://127.0.0.1:%d/x, TERM, 143",
    "jdbc:mariadb://127.0.0.1:%d/x, INT, 130",
  })
  void aSignalEndsAConnectionThatIsNotAnswered(String url, String signal, int code)
      throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        PawlProcess pawl =
            PawlProcess.start(
                url.formatted(silent.getLocalPort()), "run", "a", "--", "touch", marker())) {
      pawl.assumeHeeds(signal);
      try (Socket connection = silent.accept()) {
        pawl.signal(signal);
        assertThat(pawl.await()).isEqualTo(new Result(code, "", ""));
        assertThat(connection.isClosed()).isFalse();
      }
    }
    assertNothingWasStarted();
  }

  /**
   * From the start of the script on, in steps of some milliseconds: whenever it comes, the command
   * has not run or was ended, and nobody holds the lock.
   */
  @Test
  void atWhicheverMomentASignalComesItEndsTheRun() throws Exception {
    PawlProcess.run(store, "run", "a", "--", "true");
    long start = System.nanoTime();
    PawlProcess.run(store, "run", "a", "--", "true");
    long whole = System.nanoTime() - start;
    int rounds = 24;
    for (int i = 0; i < rounds; i++) {
      long pause = whole * i / rounds;
      try (PawlProcess pawl = PawlProcess.start(store, "run", "a", "--", "sleep", "300")) {
        LockSupport.parkNanos(pause);
        pawl.assumeHeeds("TERM");
        pawl.signal("TERM");
        Result result = pawl.await();
        if (!isOfTheJvm(result)) {
          assertThat(result)
              .as("after %d ms", TimeUnit.NANOSECONDS.toMillis(pause))
              .isEqualTo(new Result(143, "", ""));
        }
      }
      assertNothingIsHeld("a");
    }
  }

  /** A JVM that gets a signal while it starts may fail by itself, before any code of ours runs. */
  private static boolean isOfTheJvm(Result result) {
    return (result.code() == 1 || result.code() == 143)
        && result.err().startsWith("Error occurred during initialization of VM");
  }

  /** The command's starter waits before it makes the group, until the signal is on its way. */
  @Test
  void aSignalBetweenForkAndGroupEndsTheCommand() throws Exception {
    Path tools = Files.createDirectories(directory.resolve("tools"));
    Path setsid = tools.resolve("setsid");
    PawlProcess.writeScript(
        setsid,
        """
        #!/bin/sh
        case "$*" in
          *touch*) echo $$ > %s; while :; do sleep 0.05; done ;;
        esac
        exec /usr/bin/setsid "$@"
        """
            .formatted(commands.file("starter")));
    Map<String, String> environment =
        Map.of("PAWL_STORE", store, "PATH", tools + ":" + System.getenv("PATH"));
    try (PawlProcess pawl = PawlProcess.start(environment, "run", "a", "--", "touch", marker())) {
      commands.running("starter");
      pawl.signal("TERM");
      assertThat(pawl.await()).isEqualTo(new Result(143, "", ""));
    }
    assertNothingWasStarted();
    assertNothingIsHeld("a");
  }

  private static boolean ignoresTerm(ProcessHandle process) {
    try (var lines = Files.lines(Path.of("/proc/" + process.pid() + "/status"))) {
      return lines
          .filter(line -> line.startsWith("SigIgn:"))
          .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
          .anyMatch(ignored -> (ignored & TERM_BIT) != 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private PawlProcess startMarker(String... arguments) {
    return commands.start(store, arguments, "touch " + marker());
  }

  private String marker() {
    return directory.resolve("started").toString();
  }

  private void assertNothingWasStarted() {
    assertThat(Path.of(marker())).doesNotExist();
  }

  private void assertNothingIsHeld(String name) {
    try (Pawl pawl = Pawl.connect(store)) {
      assertThat(pawl.inspector().find(name).map(LockInfo::holders).orElse(java.util.List.of()))
          .isEmpty();
    }
  }

  private static int waiters(Pawl pawl, String name) {
    return pawl.inspector().find(name).map(info -> info.waiters().size()).orElse(0);
  }
}
