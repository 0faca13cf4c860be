package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pawl.testservers.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Eight processes with Quartz, as they are deployed. */
@Tag("safety")
class ProcessesTest {

  @TempDir Path directory;

  private final List<QuartzProcess> processes = new ArrayList<>();

  @AfterEach
  void end() throws InterruptedException {
    for (QuartzProcess process : processes) {
      process.kill();
    }
  }

  private void start(int count, String store, String cron, long millis, long lease) {
    for (int i = 0; i < count; i++) {
      processes.add(new QuartzProcess(store, cron, millis, lease, Map.of()));
    }
    processes.forEach(QuartzProcess::awaitReady);
  }

  private List<String> all(String word) {
    return processes.stream().flatMap(process -> process.lines(word).stream()).toList();
  }

  @Test
  void eachTimeRunsOnceInEightProcesses() {
    start(8, sqlite(), "* * * * * ?", 100, 60_000);
    int before = all("begin").size();
    Eventually.until("six more runs", () -> all("end").size() >= before + 6);
    assertThat(all("begin")).doesNotHaveDuplicates();
  }

  @Test
  void whenTheRunnerIsKilledAnotherTakesOverWithinTheLease() throws Exception {
    // It runs for longer than the while below takes a machine that stalls.
    start(8, sqlite(), "0/20 * * * * ?", 15_000, 10_000);
    // Whoever began before all were up has nobody who would stand by.
    List<String> early = all("begin");
    Eventually.until("a runner", () -> begunAfter(early).size() == 1);
    String tick = begunAfter(early).get(0);
    QuartzProcess runner =
        processes.stream().filter(p -> p.lines("begin").contains(tick)).findFirst().orElseThrow();
    // Others stand by once they have had their time, too.
    long since = System.nanoTime();
    Eventually.until("a while", () -> System.nanoTime() - since > 4_000_000_000L);
    runner.kill();
    long killed = System.nanoTime();
    Eventually.until("a take-over", () -> begunAfter(early).size() >= 2);
    Duration took = Duration.ofNanos(System.nanoTime() - killed);
    assertThat(begunAfter(early)).containsOnly(tick);
    assertThat(processes.stream().flatMap(p -> p.lines.stream()))
        .anyMatch(line -> line.equals("begin " + tick + " true"));
    // The lease is 10 s, and a second; what is above that is a busy machine's.
    assertThat(took).isLessThan(Duration.ofSeconds(30));
  }

  private List<String> begunAfter(List<String> early) {
    return all("begin").stream().filter(tick -> !early.contains(tick)).toList();
  }

  @Test
  void clocksThatAreTwoMinutesApartRunNothingTwice() throws Exception {
    Path skewedClock = skewedClock();
    try (PostgresServer server = PostgresServer.start("fsync=off")) {
      for (int i = 0; i < 8; i++) {
        String skew = i % 3 == 0 ? "60" : i % 3 == 1 ? "-60" : "0";
        processes.add(
            new QuartzProcess(
                server.url(),
                "0/2 * * * * ?",
                50,
                60_000,
                Map.of("LD_PRELOAD", skewedClock.toString(), "CLOCK_SKEW", skew)));
      }
      processes.forEach(QuartzProcess::awaitReady);
      int before = all("begin").size();
      Eventually.until("eight more runs", () -> all("end").size() >= before + 8);
      assertThat(all("begin")).doesNotHaveDuplicates();
      assertThat(processes.stream().map(QuartzProcess::clock).distinct()).hasSizeGreaterThan(2);
      end();
    }
  }

  /** Compiles what sets the clock of a process off. */
  private Path skewedClock() throws Exception {
    Path source = Path.of("src", "test", "resources", "skewed-clock.c");
    Path library = directory.resolve("skewed-clock.so");
    boolean isCompiled;
    try {
      isCompiled =
          new ProcessBuilder(
                      "cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl")
                  .inheritIO()
                  .start()
                  .waitFor()
              == 0;
    } catch (IOException e) {
      isCompiled = false;
    }
    assumeThat(isCompiled).as("a C compiler, to set clocks of processes off").isTrue();
    return library;
  }

  private String sqlite() {
    return "sqlite:" + directory.resolve("locks.db");
  }
}
