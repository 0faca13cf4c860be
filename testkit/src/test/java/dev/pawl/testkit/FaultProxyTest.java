package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FaultProxyTest {

  private static final int SOON_MILLIS = 100;
  private static final int LATE_MILLIS = 10_000;

  private final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
  private ServerSocket echo;
  private FaultProxy proxy;

  @BeforeEach
  void startAServerThatEchoes() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(
        () -> {
          while (!echo.isClosed()) {
            Socket client = echo.accept();
            daemon(() -> echoAll(client));
          }
        });
    proxy = FaultProxy.to("localhost", echo.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    echo.close();
  }

  @Test
  void everythingPassesUnharmedAtFirst() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(1);
      assertThat(ask(client, 2)).isEqualTo(2);
      assertThat(proxy.connections()).isEqualTo(1);
    }
    await("the connection is forgotten", () -> proxy.connections() == 0);
  }

  @Test
  void aDelayHoldsUpBothDirections() throws IOException {
    proxy.delay(Duration.ofMillis(60));
    try (Socket client = connect()) {
      long start = System.nanoTime();
      assertThat(ask(client, 1)).isEqualTo(1);
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(120));
    }
  }

  @Test
  void whatIsStalledComesWhenHealed() throws Exception {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(1);
      proxy.stall();
      client.getOutputStream().write(2);
      client.setSoTimeout(SOON_MILLIS);
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      proxy.heal();

      client.setSoTimeout(LATE_MILLIS);
      assertThat(client.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void aDroppedReplyIsToARequestThatArrived() throws Exception {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(1);
      assertThat(received.poll(LATE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(1);
      proxy.dropReplies();
      client.getOutputStream().write(2);
      client.setSoTimeout(SOON_MILLIS);

      assertThat(received.poll(LATE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(2);
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      proxy.heal();
      client.setSoTimeout(LATE_MILLIS);
      isClosed(client);
    }
    try (Socket again = connect()) {
      assertThat(ask(again, 3)).isEqualTo(3);
    }
  }

  @Test
  void aCutClosesConnectionsAndAdmitsNoneUntilItIsHealed() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(1);
      proxy.cut();
      isClosed(client);
      try (Socket refused = connect()) {
        isClosed(refused);
      }
    }
    proxy.heal();
    try (Socket again = connect()) {
      assertThat(ask(again, 2)).isEqualTo(2);
    }
  }

  @Test
  void aCutEndsWhatIsStalled() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(1);
      proxy.stall();
      client.getOutputStream().write(2);

      proxy.cut();

      isClosed(client);
    }
    await("the connection is forgotten", () -> proxy.connections() == 0);
  }

  @Test
  void aServerThatIsNotThereIsAClosedConnection() throws IOException {
    int port = echo.getLocalPort();
    echo.close();
    // The thread in accept() may still take a connection, which then nobody closes.
    await("nobody listens any more", () -> isRefused(port));
    try (Socket client = connect()) {
      isClosed(client);
    }
  }

  private static boolean isRefused(int port) {
    try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Test
  void noThreadOutlivesTheProxy() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(1);
      proxy.delay(Duration.ofHours(1));
      client.getOutputStream().write(2);

      proxy.close();
    }
    await(
        "all threads have ended",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("fault-proxy")));
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(LATE_MILLIS);
    return socket;
  }

  private static int ask(Socket client, int what) throws IOException {
    client.getOutputStream().write(what);
    return client.getInputStream().read();
  }

  private static void isClosed(Socket client) throws IOException {
    try {
      assertThat(client.getInputStream().read()).as("the end of the connection").isEqualTo(-1);
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  private void echoAll(Socket client) throws IOException {
    try (client) {
      for (int b = client.getInputStream().read(); b >= 0; b = client.getInputStream().read()) {
        received.add(b);
        client.getOutputStream().write(b);
      }
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void daemon(Action action) {
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
              } catch (IOException e) {
                // The test is over.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
