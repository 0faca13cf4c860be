package dev.pawl.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pawl.cli.PawlProcess;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of a command that was started and not tied yet, whatever happens to pawl between the
 * two; and how the leash itself ends. {@link RunLossProcessTest} has the rest.
 */
@Tag("safety")
class LeashTest {

  private static final Duration LEASE = Duration.ofSeconds(3);

  @TempDir Path directory;
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private Commands commands;
  private Process leader;

  @BeforeEach
  void setUp() {
    commands = new Commands(directory);
  }

  /**
   * Starts leader and child in a session of their own, as pawl does, but says no word of it. Before
   * the lease begins, which is no longer than a start may take on a busy machine.
   */
  private ProcessHandle[] startFamily(Leash leash) throws IOException {
    String line =
        "trap '' TERM; sleep 300 & echo $! > %1$s-child; echo $$ > %1$s; wait; wait"
            .formatted(commands.file("command"));
    ProcessBuilder builder = new ProcessBuilder("setsid", "--", "sh", "-c", line);
    builder.environment().putAll(leash.variables());
    leader = builder.start();
    return new ProcessHandle[] {commands.running("command"), commands.running("command-child")};
  }

  @Test
  void endsWhatItWasNotToldOfWhenPawlIsGone() throws IOException {
    ProcessHandle other = new ProcessBuilder("sleep", "300").start().toHandle();
    try {
      ProcessHandle[] family;
      try (Leash leash = new Leash(LEASE, sent::add)) {
        family = startFamily(leash);
        assertThat(leash.follow(() -> LEASE)).isTrue();
      }
      Commands.endOf(family);
      assertThat(Commands.isRunning(other)).as("a process that has nothing to do with it").isTrue();
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void endsWhatItWasNotToldOfWhenPawlIsStopped() throws IOException {
    try (Leash leash = new Leash(LEASE, sent::add)) {
      ProcessHandle[] family = startFamily(leash);
      assertThat(leash.follow(() -> LEASE)).isTrue();
      Commands.endOf(family);
      Commands.await(() -> sent.contains("KILL"));
      leash.end();
    }
  }

  @Test
  void endsACommandThatWasOnItsWayWhenPawlWasKilled() throws IOException {
    Leash leash = new Leash(Duration.ofMinutes(1), sent::add);
    try {
      assertThat(leash.follow(() -> Duration.ofMinutes(1))).isTrue();
      leash.close();
      // Pawl was killed when the process was made that is about to become the command.
      ProcessBuilder late = new ProcessBuilder("sleep", "300");
      late.environment().putAll(leash.variables());
      Commands.endOf(late.start().toHandle());
    } finally {
      ProcessHandle.of(leash.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void staysForNothingWhenNothingWasStarted() {
    try (Leash leash = new Leash(Duration.ofMinutes(1), sent::add)) {
      assertThat(leash.follow(() -> Duration.ofMinutes(1))).isTrue();
      leash.end();
      Commands.await(() -> !leash.isAlive());
    }
    assertThat(sent).isEmpty();
  }

  @Test
  void everySignalIsToldWhenItHasEndedHoweverSlowThatIs() throws Exception {
    CountDownLatch heard = new CountDownLatch(1);
    Consumer<String> slow =
        signal -> {
          heard.countDown();
          LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
          sent.add(signal);
        };
    try (Leash leash = new Leash(LEASE, slow)) {
      ProcessHandle[] family = startFamily(leash);
      assertThat(leash.follow(() -> LEASE)).isTrue();
      Commands.endOf(family);
      // It looks once more at every process of the machine before it says so.
      heard.await();
      leash.end();
      assertThat(sent).containsExactly("KILL");
    }
  }

  @Test
  void aStoppedLeashHoldsNobodyUp() {
    try (Leash leash = new Leash(Duration.ofMinutes(1), sent::add)) {
      PawlProcess.signal(leash.pid(), "STOP");
      try {
        leash.end();
        Commands.await(() -> !leash.isAlive());
      } finally {
        ProcessHandle.of(leash.pid()).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  /** As systemd stops a service: every process of it gets TERM, and the leash is one. */
  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT", "HUP"})
  void aSignalToAllOfAServiceLeavesTheCommandTimeToEnd(String signal) throws IOException {
    try (Leash leash = new Leash(Duration.ofMinutes(1), sent::add)) {
      ProcessHandle[] family = startFamily(leash);
      assertThat(leash.follow(() -> Duration.ofMinutes(1))).isTrue();
      leash.tie(family[0].pid());
      // It reads: what it does before that is done.
      assertThat(leash.awaitGroup(leader).id()).isEqualTo(family[0].pid());
      PawlProcess.signal(leash.pid(), signal);
      leash.signal("KILL");
      Commands.endOf(family);
      assertThat(leash.isAlive()).isTrue();
      leash.end();
    }
    assertThat(sent).isEmpty();
  }

  /**
   * What a command does that starts as many processes as its user may have: the leash needs none to
   * end it in time.
   */
  @Test
  void whereNoProcessCanBeStartedTheCommandIsEndedInTime() throws Exception {
    List<String> asNobody = List.of("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups");
    String tried = String.join(" ", with(asNobody, "true"));
    assumeThat(new ProcessBuilder("sh", "-c", tried).start().waitFor())
        .as("root becomes another user")
        .isZero();
    Process command = new ProcessBuilder(with(asNobody, "setsid", "sleep", "300")).start();
    ProcessBuilder builder =
        new ProcessBuilder(
            with(asNobody, "bash", "-c", "ulimit -u 1; exec setsid \"$@\"", "limited"));
    builder.command().addAll(Leash.line("mark"));
    // Where we are, that user may have no business.
    Process shell = builder.directory(new File("/")).redirectErrorStream(true).start();
    try (Writer words = shell.outputWriter()) {
      long now = new BootClock().ticks();
      words.write("group %d\nuntil %d %d\n".formatted(command.pid(), now + 150, now + 200));
      words.flush();
      Commands.endOf(command.toHandle());
      assertThat(shell.isAlive()).isTrue();
      words.write("end\n");
    }
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8))
        .matches("ready\ngroup " + command.pid() + "\n(TERM\n)?(KILL\n)?");
  }

  /** As a daemon may have done for all that it starts; only Linux' own env can do it here. */
  @Test
  void aCallerThatBlocksTheAlarmDoesNotKeepItFromWaking() throws Exception {
    List<String> blocking = List.of("env", "--block-signal=ALRM");
    String tried = String.join(" ", with(blocking, "true"));
    assumeThat(new ProcessBuilder("sh", "-c", tried + " 2>&1").start().waitFor())
        .as("env blocks signals")
        .isZero();
    List<String> isRecent =
        List.of("bash", "-c", "((BASH_VERSINFO[0]*100+BASH_VERSINFO[1] >= 502))");
    assumeThat(new ProcessBuilder(isRecent).start().waitFor())
        .as("bash 5.2 or later, which reads without the alarm")
        .isZero();
    Process command = new ProcessBuilder("setsid", "sleep", "300").start();
    ProcessBuilder builder = new ProcessBuilder(with(blocking, "setsid"));
    builder.command().addAll(Leash.line("mark"));
    Process shell = builder.redirectErrorStream(true).start();
    try (Writer words = shell.outputWriter()) {
      long now = new BootClock().ticks();
      words.write("group %d\nuntil %d %d\n".formatted(command.pid(), now + 150, now + 200));
      words.flush();
      Commands.endOf(command.toHandle());
      words.write("end\n");
    }
    assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8))
        .matches("ready\ngroup " + command.pid() + "\n(TERM\n)?(KILL\n)?");
  }

  /** Where the clock cannot be read any more, no stream of words keeps the command alive. */
  @Test
  void whoseClockIsGoneEndsTheCommandInTimeHoweverOftenItIsSpokenTo() throws Exception {
    List<String> apart = List.of("unshare", "--mount");
    String tried = String.join(" ", with(apart, "true"));
    assumeThat(new ProcessBuilder("sh", "-c", tried + " 2>&1").start().waitFor())
        .as("root has mounts of its own")
        .isZero();
    Process command = new ProcessBuilder("setsid", "sleep", "300").start();
    ProcessBuilder builder = new ProcessBuilder(with(apart, "setsid"));
    builder.command().addAll(Leash.line("mark"));
    Process shell = builder.start();
    try (PrintWriter words = new PrintWriter(shell.outputWriter(), true);
        BufferedReader answers = shell.inputReader()) {
      long now = new BootClock().ticks();
      words.println("until %d %d\ngroup %d".formatted(now + 500, now + 600, command.pid()));
      assertThat(answers.readLine()).isEqualTo("ready");
      assertThat(answers.readLine()).as("who has read the clock").startsWith("group");
      String pid = String.valueOf(shell.pid());
      List<String> hide = List.of("nsenter", "--mount", "--target", pid);
      ProcessBuilder hiding =
          new ProcessBuilder(with(hide, "mount", "--bind", "/dev/null", "/proc/uptime"));
      assertThat(hiding.start().waitFor()).isZero();
      Commands.await(
          () -> {
            words.println("look");
            return !command.isAlive();
          });
      words.println("end");
    }
  }

  private static List<String> with(List<String> prefix, String... words) {
    return new ArrayList<>(Stream.concat(prefix.stream(), Stream.of(words)).toList());
  }
}
