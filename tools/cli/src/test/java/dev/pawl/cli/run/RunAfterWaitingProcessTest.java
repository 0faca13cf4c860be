package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The ordinary case of {@code pawl run}: somebody else has the lock, we wait, and then the command
 * runs; with every option, on every kind of store.
 */
class RunAfterWaitingProcessTest {

  /** A grant that is told by a signal lasts for that long until it is confirmed. */
  private static final Duration UNCONFIRMED = Duration.ofSeconds(2);

  private static final String TICK = "2026-11-15T12:00:00Z";

  /** Leases that are short beside what a busy machine may stand still for. */
  private static final Set<String> SHORT = Set.of("--lease 3s", "--lease 6s");

  @TempDir private static Path stores;
  private static PostgresServer postgres;
  private static RedisServer redis;

  @TempDir private Path directory;

  @BeforeAll
  static void startServers() {
    postgres = PostgresServer.start();
    redis = RedisServer.start();
  }

  @AfterAll
  static void stopServers() {
    postgres.close();
    redis.close();
  }

  static Stream<Arguments> everyOptionOnEveryStore() {
    List<String> options =
        List.of(
            "",
            "-w 3m",
            "--lease 3s",
            "--lease 6s",
            "--lease 30s",
            "--shared",
            "--limit 1",
            "--tick " + TICK,
            "-E 3 -q",
            "--skip-ok --background kill");
    Map<String, String> urls =
        Map.of(
            "sqlite", "sqlite:" + stores.resolve("locks.db"),
            "postgresql", postgres.url(),
            "redis", redis.url());
    return urls.keySet().stream()
        .sorted()
        .flatMap(
            store -> options.stream().map(option -> Arguments.of(store, option, urls.get(store))));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("everyOptionOnEveryStore")
  void whoHadToWaitRunsToItsEnd(String store, String option, String url) throws Exception {
    if (SHORT.contains(option)) {
      // It is lost, as it should be, where the command or its leash stands still for so long.
      Measurement.whereNothingStalls(() -> runsToItsEnd(option, url));
    } else {
      runsToItsEnd(option, url);
    }
  }

  private void runsToItsEnd(String option, String url) throws Exception {
    String name = "n" + option;
    Commands commands = new Commands(Files.createTempDirectory(directory, "run"));
    Path go = commands.file("go");
    String line =
        "echo $PAWL_TOKEN > %s; while [ ! -e %s ]; do sleep 0.05; done; exit 7"
            .formatted(commands.file("token"), go);
    String[] words =
        Stream.concat(Stream.of(name), Stream.of(option.split(" ")).filter(word -> !word.isEmpty()))
            .toArray(String[]::new);
    try (Pawl node = Pawl.connect(url)) {
      Holder holder = hold(url, name, option);
      try (PawlProcess pawl = commands.start(url, words, line)) {
        String inStore = option.startsWith("--tick") ? Job.PREFIX + name : name;
        Commands.await(() -> info(node, inStore).waiters().size() == 1);
        holder.close();
        Commands.await(() -> !commands.lines("token").isEmpty() || !pawl.process().isAlive());
        // Until it is confirmed, which is when a command that is not to live would be ended.
        Commands.await(() -> isConfirmed(info(node, inStore), option) || !pawl.process().isAlive());
        assertThat(pawl.process().isAlive()).as("%s", pawl.soFar()).isTrue();
        Files.createFile(go);
        assertThat(pawl.await()).isEqualTo(new Result(7, "", ""));
      } finally {
        holder.close();
      }
    }
  }

  private static boolean isConfirmed(LockInfo info, String option) {
    Duration most = option.equals("--lease 3s") ? Duration.ofMillis(2_100) : UNCONFIRMED;
    return info.holders().stream().anyMatch(holder -> holder.left().compareTo(most) > 0);
  }

  private static LockInfo info(Pawl node, String name) {
    return node.inspector().find(name).orElseThrow();
  }

  private interface Holder extends AutoCloseable {
    @Override
    void close();
  }

  /** Holds the name in a way that keeps a run with that option waiting. */
  private static Holder hold(String url, String name, String option) throws Exception {
    Pawl node = Pawl.connect(url);
    if (option.startsWith("--tick")) {
      CountDownLatch running = new CountDownLatch(1);
      var unused =
          node.job(name)
              .runOrStandBy(
                  new Job.Tick.At(Instant.parse(TICK)),
                  run -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return 0;
                  });
      running.await();
      return node::close; // Which leaves the tick to the next.
    }
    Lease lease =
        option.startsWith("--limit")
            ? node.semaphore(name, 1).acquire()
            : node.lock(name).acquire();
    return () -> {
      lease.close();
      node.close();
    };
  }
}
