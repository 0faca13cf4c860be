package dev.pawl.cli.pair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Processes under load on a pair, what they say, and whether it is right. */
final class PairLoad implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** One line of a process. */
  record Said(int node, List<String> words) {
    boolean is(String what) {
      return words.get(0).equals(what);
    }

    long number(int index) {
      return Long.parseLong(words.get(index));
    }
  }

  private final Path directory;
  private final boolean ticks;
  private final List<Process> processes = new ArrayList<>();
  private final ConcurrentLinkedQueue<Said> said = new ConcurrentLinkedQueue<>();

  private PairLoad(Path directory, boolean ticks) {
    this.directory = directory;
    this.ticks = ticks;
  }

  /**
   * Starts processes, each on the URL of its number.
   *
   * @param ticks whether their store has jobs
   */
  static PairLoad start(int nodes, Path directory, boolean ticks, IntFunction<String> urls) {
    PairLoad load = new PairLoad(directory, ticks);
    for (int node = 0; node < nodes; node++) {
      load.start(node, urls.apply(node));
    }
    load.await("all are ready", () -> load.count("READY") == nodes);
    return load;
  }

  static List<Integer> nodes(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  private Path log(int node) {
    return directory.resolve("node-" + node + ".log");
  }

  private void start(int node, String url) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx96m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            System.getProperty("java.class.path"),
            PairNode.class.getName(),
            "node-" + node,
            directory.resolve("resource.db").toString());
    try {
      Process process = new ProcessBuilder(command).redirectError(log(node).toFile()).start();
      processes.add(process);
      say(process, url);
      Thread reader = new Thread(() -> read(node, process), "node-" + node);
      reader.setDaemon(true);
      reader.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(int node, Process process) {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(new Said(node, List.of(line.split(" ", -1))));
      }
    } catch (IOException e) {
      // It was killed.
    }
  }

  /** Stops a process in its tracks, whatever it holds. */
  void stop(int node) {
    Process process = processes.get(node);
    say(process, PairNode.STOP);
    await("node-" + node + " is stopped", () -> isStopped(process));
  }

  private static void say(Process process, String line) {
    new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8).println(line);
  }

  private static boolean isStopped(Process process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets a process go on that was stopped. */
  void goOn(int node) {
    try {
      new ProcessBuilder("kill", "-CONT", Long.toString(processes.get(node).pid()))
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long count(String what) {
    return said.stream().filter(each -> each.is(what)).count();
  }

  /** Waits until these processes have held each lock once more, and a tick was run. */
  void awaitProgress(String when, List<Integer> nodes) {
    long now = System.nanoTime();
    for (int node : nodes) {
      for (String name : List.of(PairNode.LOCK, PairNode.ELECTION)) {
        await(
            "node-" + node + " holds " + name + " " + when,
            () ->
                said.stream()
                    .anyMatch(
                        each ->
                            each.node() == node
                                && each.is("HELD")
                                && each.words().get(1).equals(name)
                                && each.number(3) - now > 0));
      }
    }
    if (ticks) {
      await(
          "a tick is run " + when,
          () -> said.stream().anyMatch(each -> each.is("RAN") && each.number(3) - now > 0));
    }
  }

  /** Waits until a process was refused because the store is not there, for it. */
  void awaitRefusal(int node, String when) {
    long before = refusals(node);
    await("node-" + node + " is refused " + when, () -> refusals(node) > before);
  }

  private long refusals(int node) {
    return said.stream()
        .filter(each -> each.node() == node && each.is("MISSED"))
        .filter(each -> each.words().contains("StoreUnavailableException"))
        .count();
  }

  void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start)
          .as(() -> what + "; the last lines are " + last())
          .isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private String last() {
    List<String> lines = said.stream().map(each -> String.join(" ", each.words())).toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size())) + logs();
  }

  /** What the processes complained of last. */
  private String logs() {
    StringBuilder text = new StringBuilder();
    for (int node = 0; node < processes.size(); node++) {
      try {
        List<String> lines =
            Files.readAllLines(log(node)).stream().filter(l -> !l.startsWith("\tat ")).toList();
        text.append("\nnode-" + node + (processes.get(node).isAlive() ? "" : " has ended"));
        lines.stream().skip(Math.max(0, lines.size() - 5)).forEach(l -> text.append("\n  " + l));
      } catch (IOException e) {
        text.append("\n" + e);
      }
    }
    return text.toString();
  }

  /** Ends all processes in good order. */
  void finish() {
    for (Process process : processes) {
      try {
        process.getOutputStream().close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    await("all have closed", () -> count("CLOSED") == processes.size());
  }

  /** Checks everything that was said. */
  void check() {
    new PairChecks(List.copyOf(said), ticks).check();
  }

  /** Every process has said once of each switch that the primary is left. */
  void checkWarnings(int switches) {
    for (int node = 0; node < processes.size(); node++) {
      PairChecks.checkWarnings(log(node), switches);
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
