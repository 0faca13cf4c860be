package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.pawl.testservers.Measurement;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The start of a process on a busy machine, where a server takes its time to answer at first. */
class FirstConnectionTest {

  /** Longer than a call may take, and much less than a first connection may. */
  private static final long DELAY_MILLIS = 1_600;

  @Test
  void theFirstConnectionsHaveMoreTimeThanACall() throws Exception {
    String url = Databases.postgres();
    URI server = URI.create(url.substring("jdbc:".length()));
    try (ServerSocket relay = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      start(() -> relay(relay, server));
      String slow =
          url.replace(
              server.getHost() + ":" + server.getPort(),
              relay.getInetAddress().getHostAddress() + ":" + relay.getLocalPort());
      assertThat(slow).isNotEqualTo(url);
      // Where the machine stalls for more than the second that a call has, it fails rightly.
      Measurement.whereNothingStalls(
          () -> assertThatCode(() -> openAndFind(slow)).doesNotThrowAnyException());
    }
  }

  private static void openAndFind(String slow) {
    JdbcOptions options = Databases.newTables().withTimeout(Duration.ofSeconds(1));
    try (JdbcStore store = JdbcStore.open(slow, options)) {
      assertThat(store.find("x").toCompletableFuture().join()).isEmpty();
    }
  }

  private static void relay(ServerSocket relay, URI server) throws IOException {
    while (true) {
      Socket client = relay.accept();
      Socket target = new Socket(server.getHost(), server.getPort());
      start(() -> copy(client, target, 0));
      start(() -> copy(target, client, DELAY_MILLIS));
    }
  }

  /** Passes on what arrives, the first of it late. */
  private static void copy(Socket from, Socket to, long firstDelayMillis) throws IOException {
    byte[] buffer = new byte[8_192];
    long delay = firstDelayMillis;
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        pause(delay);
        delay = 0;
        out.write(buffer, 0, count);
      }
    }
  }

  /** The delay is what is tested: a latch that nobody opens. */
  private static void pause(long millis) {
    try {
      assertThat(new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)).isFalse();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // One of the two is closed.
              } catch (UncheckedIOException e) {
                throw e;
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
