package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Commands that tell in a directory what became of them, for tests of {@code pawl run}. */
final class Commands {

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Path directory;

  Commands(Path directory) {
    this.directory = directory;
  }

  /** Starts {@code pawl run} with these arguments and a command that runs until it is ended. */
  PawlProcess startSleeper(String store, String id, String... arguments) {
    return start(store, arguments, "echo $$ > " + file(id) + "; exec sleep 300");
  }

  /** Starts {@code pawl run} with these arguments and a line of shell as its command. */
  PawlProcess start(String store, String[] arguments, String line) {
    return PawlProcess.start(
        store,
        Stream.of(Stream.of("run"), Stream.of(arguments), Stream.of("--", "sh", "-c", line))
            .flatMap(part -> part)
            .toArray(String[]::new));
  }

  /** Returns the file that a command with that id writes. */
  Path file(String id) {
    return directory.resolve(id);
  }

  /** Waits for the process that has written its number. */
  ProcessHandle running(String id) {
    await(() -> !lines(id).isEmpty());
    long pid = Long.parseLong(lines(id).get(0));
    return ProcessHandle.of(pid)
        .orElseThrow(() -> new AssertionError("process " + pid + " of " + id + " is gone"));
  }

  /** Returns the leash of a run, by its script: Java shows no more of its line. */
  static ProcessHandle leashOf(PawlProcess pawl) {
    return pawl.process()
        .children()
        .filter(child -> child.info().commandLine().orElse("").contains("# The leash of a command"))
        .findFirst()
        .orElseThrow();
  }

  /** Waits until none of the processes does anything any more, and returns when that was. */
  static long endOf(ProcessHandle... processes) {
    for (ProcessHandle process : processes) {
      await(() -> !isRunning(process));
    }
    return System.nanoTime();
  }

  /**
   * Tells whether a process does anything any more. One that nobody has waited for, since its
   * parent is stopped or slow, has ended all the same; and so has one whose number another process,
   * or a thread, has been given since, of which a busy machine starts many.
   */
  static boolean isRunning(ProcessHandle process) {
    char state = state(process.pid());
    return state != 'Z' && state != 'X' && process.isAlive();
  }

  /** Tells whether a process has ended without anybody having waited for it. */
  static boolean isZombie(long pid) {
    return state(pid) == 'Z';
  }

  private static char state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return 'X';
    }
  }

  /** Returns what a command has written, as far as the lines are whole. */
  List<String> lines(String id) {
    try {
      String text = Files.exists(file(id)) ? Files.readString(file(id)) : "";
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("patience").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
