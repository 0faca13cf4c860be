package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.ZooKeeperServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that holds a name and is killed: the next has it when its session ends. */
class KilledHolderTest {

  private static final Duration SESSION = Duration.ofSeconds(3);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The process: URL. */
  public static void main(String[] args) throws Exception {
    Pawl pawl = Pawl.builder(args[0]).responseTimeout(PATIENCE).build();
    System.out.println(pawl.lock("killed").acquire().token());
    Thread.currentThread().join();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fair", "simple"})
  @Tag("safety")
  void itsNameIsFreeWhenItsSessionHasEnded(String strategy) throws Exception {
    List<Long> tokens = new CopyOnWriteArrayList<>();
    Measurement.whereNothingStalls(() -> killAHolder(strategy, tokens));
    // Each pair is of a server of its own.
    for (int i = 0; i < tokens.size(); i += 2) {
      assertThat(tokens.get(i + 1)).isGreaterThan(tokens.get(i));
    }
  }

  /** Adds the tokens of the one that is killed and of the next. */
  private static void killAHolder(String strategy, List<Long> tokens) throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      String url = "zk://" + server.address() + "?strategy=" + strategy + "&sessionTimeout=";
      Process holder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx64m",
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  KilledHolderTest.class.getName(),
                  url + SESSION.toMillis() + "ms")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8));
          Pawl pawl = Pawl.builder(url + "60s").responseTimeout(PATIENCE).build()) {
        String line = lines.readLine();
        assertThat(line).as("its token, if its session outlasts its start").isNotNull();
        long token = Long.parseLong(line);
        CompletableFuture<Lease> next = pawl.lock("killed").acquireAsync(PATIENCE);
        holder.destroyForcibly().waitFor();
        long killed = System.nanoTime();

        Lease lease = next.get(60, TimeUnit.SECONDS);

        tokens.addAll(List.of(token, lease.token()));
        assertThat(Duration.ofNanos(System.nanoTime() - killed))
            .as("the session time-out, rounded up to a tick, and a second")
            .isLessThan(SESSION.plus(TICK).plusSeconds(1));
      } finally {
        holder.destroyForcibly();
      }
    }
  }
}
