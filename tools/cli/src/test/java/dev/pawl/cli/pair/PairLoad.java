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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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
  private final List<Process> processes = new ArrayList<>();
  private final ConcurrentLinkedQueue<Said> said = new ConcurrentLinkedQueue<>();

  private PairLoad(Path directory) {
    this.directory = directory;
  }

  /** Starts processes on the store of that URL, each of which has its own. */
  static PairLoad start(int nodes, Path directory, Supplier<String> urls) {
    PairLoad load = new PairLoad(directory);
    for (int node = 0; node < nodes; node++) {
      load.start(node, urls.get());
    }
    load.await("all are ready", () -> load.count("READY") == nodes);
    return load;
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
      Process process =
          new ProcessBuilder(command)
              .redirectError(directory.resolve("node-" + node + ".log").toFile())
              .start();
      processes.add(process);
      new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8).println(url);
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

  private long count(String what) {
    return said.stream().filter(each -> each.is(what)).count();
  }

  /** Waits until every process has held each lock once more, and a tick was run. */
  void awaitProgress(String when) {
    long now = System.nanoTime();
    for (int i = 0; i < processes.size(); i++) {
      int node = i;
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
    await(
        "a tick is run " + when,
        () -> said.stream().anyMatch(each -> each.is("RAN") && each.number(3) - now > 0));
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
        List<String> lines = Files.readAllLines(directory.resolve("node-" + node + ".log"));
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
    assertThat(said.stream().filter(each -> each.is("ERROR") || each.is("STUCK")))
        .extracting(each -> each.node() + ": " + String.join(" ", each.words()))
        .isEmpty();
    checkHolds(PairNode.LOCK);
    checkHolds(PairNode.ELECTION);
    checkTicks();
  }

  /** Of those who believed to hold a name no two did so at once, and each had a higher token. */
  private void checkHolds(String name) {
    List<Said> holds =
        said.stream()
            .filter(each -> each.is("HELD") && each.words().get(1).equals(name))
            .sorted(Comparator.comparingLong(each -> each.number(3)))
            .toList();
    assertThat(holds).hasSizeGreaterThan(20);
    List<String> wrong = new ArrayList<>();
    for (int i = 1; i < holds.size(); i++) {
      Said before = holds.get(i - 1);
      Said after = holds.get(i);
      if (after.number(3) - before.number(4) < 0) {
        wrong.add("overlap: " + line(before) + " and " + line(after));
      }
      if (after.number(2) <= before.number(2)) {
        wrong.add("token went back: " + line(before) + " then " + line(after));
      }
    }
    assertThat(wrong).as(name).isEmpty();
  }

  private static String line(Said said) {
    return "node-" + said.node() + " " + String.join(" ", said.words());
  }

  /** A tick that was reported as run is not begun again. */
  private void checkTicks() {
    Map<Long, Said> ran = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    for (Said each : said) {
      if (each.is("RAN")) {
        Said before = ran.put(each.number(1), each);
        if (before != null) {
          wrong.add("reported twice: " + line(before) + " and " + line(each));
        }
      }
    }
    for (Said each : said) {
      if (each.is("RUN")) {
        Said reported = ran.get(each.number(1));
        if (reported != null && each.number(3) - reported.number(3) > 0) {
          wrong.add("run again: " + line(reported) + " then " + line(each));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(ran).as("ticks that were run").isNotEmpty();
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
