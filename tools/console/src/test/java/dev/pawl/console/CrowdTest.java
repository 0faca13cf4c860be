package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.console.watch.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** More pages than there may be, and requests that never get whole. */
class CrowdTest {

  private static Fixture console() throws Exception {
    return Fixture.start(
            () -> Pawl.connect("memory:"),
            new dev.pawl.console.access.LinkAccess(Fixture.OPERATOR),
            Fixture.sessions(Duration.ofHours(1)),
            0)
        .signedIn(Fixture.OPERATOR);
  }

  private static Socket connect(Fixture console) throws IOException {
    Socket socket = new Socket("localhost", console.port());
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static String answer(Socket socket) throws IOException {
    return Optional.ofNullable(
            new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                .readLine())
        .orElse("closed");
  }

  @Test
  void ofAThousandPagesTwoHundredAreTold() throws Exception {
    try (Fixture console = console()) {
      List<Socket> pages = new ArrayList<>();
      Map<String, Integer> answers = new HashMap<>();
      for (int i = 0; i < 1_000; i++) {
        Socket socket = connect(console);
        send(
            socket,
            "GET /api/v1/events?view=locks HTTP/1.1\r\nHost: localhost\r\nCookie: "
                + console.cookie()
                + "\r\n\r\n");
        answers.merge(answer(socket), 1, Integer::sum);
        pages.add(socket);
      }
      assertThat(answers)
          .isEqualTo(Map.of("HTTP/1.1 200 OK", 200, "HTTP/1.1 503 Service Unavailable", 800));
      assertThat(console.ask("session").get("full").getAsBoolean()).isTrue();
      assertThat(console.get("api/v1/events?view=jobs").body()).contains("\"code\":\"too-many\"");
      for (Socket page : pages) {
        page.close();
      }
      Await.until(() -> console.servlet.openPages() == 0);
      assertThat(console.ask("session").get("full").getAsBoolean()).isFalse();
    }
  }

  /** Nothing is written to whoever asks for the headers alone, so it would not be noticed to go. */
  @Test
  void theHeadersOfEventsAloneOpenNoPage() throws Exception {
    try (Fixture console = console();
        Socket socket = connect(console)) {
      send(
          socket,
          "HEAD /api/v1/events?view=locks HTTP/1.1\r\nHost: localhost\r\nCookie: "
              + console.cookie()
              + "\r\n\r\n");
      assertThat(answer(socket)).isEqualTo("HTTP/1.1 405 Method Not Allowed");
      assertThat(console.servlet.openPages()).isEqualTo(0);
    }
  }

  /** A byte a second: never idle, and never whole. The console answers others meanwhile. */
  @Test
  void whoSendsAByteNowAndThenIsCutOff() throws Exception {
    try (Fixture console = console()) {
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Socket header = connect(console);
        send(header, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
        Socket body = connect(console);
        send(
            body,
            "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 8000\r\n\r\n{");
        slow.addAll(List.of(header, body));
      }
      long start = System.nanoTime();
      while (slow.stream().filter(socket -> !isRefused(socket)).count() > 0) { // A byte to each.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(2));
        LockSupport.parkNanos(1_000_000_000L);
      }
      assertThat(console.get("api/v1/locks").statusCode()).isEqualTo(200);
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Sends one more byte; tells whether the server has answered or ended the connection. */
  private static boolean isRefused(Socket socket) {
    try {
      if (socket.getInputStream().available() > 0) {
        return true;
      }
      send(socket, "x");
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
