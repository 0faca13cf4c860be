package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.dialect.Notify;
import dev.pawl.jdbc.dialect.PromptSockets;
import dev.pawl.testservers.Measurement;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PromptSocketsTest {

  private static final int LOOKS = 2_000;

  private ServerSocket server;
  private Socket here;
  private Socket there;

  @BeforeEach
  void connect() throws Exception {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    here = new PromptSockets().createSocket();
    here.connect(server.getLocalSocketAddress());
    there = server.accept();
  }

  @AfterEach
  void close() throws Exception {
    here.close();
    there.close();
    server.close();
  }

  @Test
  void aLookOfAMillisecondDoesNotWait() throws Exception {
    here.setSoTimeout(1);
    byte[] bytes = new byte[8];
    Measurement.whereNothingStalls(
        () -> {
          long start = System.nanoTime();
          for (int i = 0; i < LOOKS; i++) {
            assertThatThrownBy(() -> here.getInputStream().read(bytes, 0, 8))
                .isInstanceOf(SocketTimeoutException.class);
          }
          assertThat(Duration.ofNanos(System.nanoTime() - start))
              .isLessThan(Duration.ofMillis(LOOKS));
        });
  }

  @Test
  void aLookFindsWhatHasArrived() throws Exception {
    there.getOutputStream().write(7);
    byte[] bytes = new byte[8];
    here.setSoTimeout(60_000);
    assertThat(here.getInputStream().read(bytes, 0, 1)).isEqualTo(1);
    there.getOutputStream().write(new byte[] {8, 9});
    here.setSoTimeout(60_000);
    assertThat(here.getInputStream().read(bytes, 0, 1)).isEqualTo(1); // So the other is there too.
    here.setSoTimeout(1);
    assertThat(here.getInputStream().read(bytes, 1, 7)).isEqualTo(1);
    assertThat(bytes).startsWith(8, 9);
  }

  @Test
  void aLongerReadWaits() throws Exception {
    here.setSoTimeout(60_000);
    CompletableFuture<Integer> read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return here.getInputStream().read(new byte[8], 0, 8);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    there.getOutputStream().write(7);
    assertThat(read).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(1);
  }

  @Test
  void theDriverHearsNotificationsOnThem() throws Exception {
    UrlDataSource source =
        Databases.source(Databases.postgres(), SqlDatabase.POSTGRESQL, Databases.newTables());
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      Notify notify = SqlDatabase.POSTGRESQL.dialect().notifies().orElseThrow();
      statement.execute("LISTEN prompt");
      for (String payload : List.of("one", "two")) {
        statement.execute("NOTIFY prompt, '" + payload + "'");
        assertThat(notify.await(connection, 60_000))
            .extracting(Notify.Notification::payload)
            .containsExactly(payload);
      }
    }
  }
}
