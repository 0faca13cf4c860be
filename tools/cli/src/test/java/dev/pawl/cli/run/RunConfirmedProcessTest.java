package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A grant that is told by a signal lasts two seconds. Nothing is started under it before the store
 * has confirmed it; whoever is too late for that queues again.
 */
@Tag("safety")
class RunConfirmedProcessTest {

  private static final String TICK = "2026-11-15T12:00:00Z";

  private static RedisServer redis;

  @TempDir Path directory;

  @BeforeAll
  static void startServer() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stopServer() {
    redis.close();
  }

  /** The command stops its pawl at once, for longer than an unconfirmed grant lasts. */
  @Test
  void aCommandStartsWithAWholeLease() throws Exception {
    Commands commands = new Commands(directory);
    String store = "sqlite:" + directory.resolve("locks.db");
    String line = "kill -STOP $PPID; sleep 3; kill -CONT $PPID; exit 7";
    try (Pawl node = Pawl.connect(store)) {
      Lease lease = node.lock("a").acquire();
      try (PawlProcess pawl = commands.start(store, new String[] {"a", "--lease", "1m"}, line)) {
        Commands.await(() -> waiters(node, "a") == 1);
        lease.close();
        assertThat(pawl.await()).isEqualTo(new Result(7, "", ""));
      }
    }
  }

  /** The signal arrives, and no request does until the grant has expired. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--shared", "--limit 1", "--tick " + TICK})
  void whoseGrantExpiresBeforeItIsConfirmedQueuesAgain(String option) throws Exception {
    Commands commands = new Commands(directory);
    String name = "n" + option;
    try (Wire wire = Wire.to(redis.port());
        Pawl node = Pawl.connect(redis.url())) {
      Runnable letGo = hold(name, option);
      String inStore = option.startsWith("--tick") ? Job.PREFIX + name : name;
      String[] words =
          Stream.concat(Stream.of(name), Stream.of(option.split(" ")).filter(w -> !w.isEmpty()))
              .toArray(String[]::new);
      String line = "echo $PAWL_TOKEN >> " + commands.file("tokens") + "; exit 7";
      try (PawlProcess pawl = commands.start("redis://127.0.0.1:" + wire.port(), words, line)) {
        Commands.await(() -> waiters(node, inStore) == 1);
        wire.holdBack();
        letGo.run();
        // The release has granted it to the run, which cannot be asked to confirm it.
        Commands.await(() -> holders(node, inStore).isEmpty());
        assertThat(commands.lines("tokens")).isEmpty();
        wire.letThrough();
        assertThat(pawl.await()).isEqualTo(new Result(7, "", ""));
        assertThat(commands.lines("tokens")).hasSize(1);
      } finally {
        letGo.run();
      }
    }
  }

  private static List<LockInfo.Holder> holders(Pawl node, String name) {
    return node.inspector().find(name).map(LockInfo::holders).orElse(List.of());
  }

  private static int waiters(Pawl node, String name) {
    return node.inspector().find(name).map(info -> info.waiters().size()).orElse(0);
  }

  /** Holds the name in a way that keeps a run with that option waiting. */
  private static Runnable hold(String name, String option) throws Exception {
    Pawl node = Pawl.connect(redis.url());
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
