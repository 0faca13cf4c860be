package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.access.AddressRange;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Proxies;
import dev.pawl.console.access.ProxyAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.UsersFile;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets in, and who does not. */
class AccessTest {

  @TempDir Path directory;
  private String url;

  @BeforeEach
  void makeStore() {
    url = "sqlite:" + directory.resolve("locks.db");
    Pawl.connect(url).close();
  }

  private Pawl look() {
    return Pawl.builder(url).existingStore().build();
  }

  @Test
  void nobodyGetsInWithoutTheLink() throws Exception {
    try (Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      for (String path : new String[] {"locks", "jobs", "nodes", "audit", "doctor", "graph"}) {
        assertThat(console.get("api/v1/" + path).statusCode()).as(path).isEqualTo(401);
      }
      assertThat(console.get("api/v1/events?view=locks").statusCode()).isEqualTo(401);
      HttpResponse<String> guessed = console.get("open?token=guessed");
      assertThat(guessed.statusCode()).isEqualTo(403);
      assertThat(guessed.headers().firstValue("Set-Cookie")).isEmpty();
      assertThat(guessed.body()).as("the page, which says what to do").contains("<title>Pawl");
      assertThat(console.get("open").statusCode()).isEqualTo(403);
    }
  }

  @Test
  void theLinkIsExchangedForACookieAndLedAwayFrom() throws Exception {
    try (Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      HttpResponse<String> opened =
          Fixture.send(HttpRequest.newBuilder(java.net.URI.create(console.link())));
      assertThat(opened.statusCode()).isEqualTo(303);
      assertThat(opened.headers().firstValue("Location")).contains("./");
      String cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/");
      assertThat(opened.headers().firstValue("Referrer-Policy")).contains("no-referrer");
      HttpResponse<String> session =
          Fixture.send(console.request("api/v1/session").header("Cookie", cookie.split(";", 2)[0]));
      assertThat(Fixture.json(session).get("operator").getAsBoolean()).isTrue();
    }
  }

  @Test
  void everyAnswerHasTheHeadersThatProtectThePage() throws Exception {
    try (Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      for (String path : new String[] {"", "app.js", "api/v1/locks", "nothing"}) {
        HttpResponse<String> response = console.get(path);
        assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
            .as(path)
            .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
            .doesNotContain("unsafe");
        assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(response.headers().firstValue("Server")).isEmpty();
      }
    }
  }

  @Test
  void aForgedOrAlteredCookieIsNobody() throws Exception {
    try (Fixture console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
      String other = Fixture.sessions(Duration.ofHours(1)).issue(Fixture.OPERATOR);
      String own = console.cookie().substring(console.cookie().indexOf('=') + 1);
      String raised =
          java.util.Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(
                  "olga@test\nOPERATOR\nx\n99999999999999".getBytes(StandardCharsets.UTF_8));
      for (String value :
          new String[] {
            other, own + "x", raised + own.substring(own.indexOf('.')), ".", "", "a.b"
          }) {
        HttpResponse<String> response =
            Fixture.send(
                HttpRequest.newBuilder(java.net.URI.create(console.url() + "api/v1/locks"))
                    .header("Cookie", console.sessions.cookie() + "=" + value));
        assertThat(response.statusCode()).as(value).isEqualTo(401);
      }
    }
  }

  @Test
  void aViewerMayNotStepIn() throws Exception {
    try (Pawl pawl = Pawl.connect(url);
        Lease lease = pawl.lock("kept").acquire();
        Fixture console = Fixture.start(url, Fixture.VIEWER).signedIn(Fixture.VIEWER)) {
      HttpResponse<String> response =
          console.post(
              "api/v1/locks/kept/release",
              "{\"token\":\"" + lease.token() + "\",\"reason\":\"let me\"}");
      assertThat(response.statusCode()).isEqualTo(403);
      assertThat(response.body()).contains("not-operator");
      assertThat(console.watch.inspector().find("kept").orElseThrow().holders()).hasSize(1);
    }
  }

  @Test
  void whatAnotherSiteSendsIsRefused() throws Exception {
    try (Pawl pawl = Pawl.connect(url);
        Lease lease = pawl.lock("kept").acquire();
        Fixture console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
      String body = "{\"token\":\"" + lease.token() + "\",\"reason\":\"forged\"}";
      for (String token : new String[] {"", "guessed", console.sessions.csrfToken("another")}) {
        HttpResponse<String> response =
            Fixture.send(
                console
                    .request("api/v1/locks/kept/release")
                    .header("Content-Type", "application/json")
                    .header("X-Pawl-Csrf", token)
                    .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("csrf");
      }
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void aSessionEndsAtItsTimeAndWhenItIsSignedOut() throws Exception {
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    Sessions now =
        new Sessions(new byte[32], Duration.ofHours(8), Clock.fixed(start, ZoneOffset.UTC));
    Sessions later =
        new Sessions(
            new byte[32],
            Duration.ofHours(8),
            Clock.fixed(start.plus(Duration.ofHours(8)), ZoneOffset.UTC));
    String cookie = now.issue(Fixture.OPERATOR);
    assertThat(now.read(cookie)).isPresent();
    assertThat(later.read(cookie)).isEmpty();
    now.end(now.read(cookie).orElseThrow());
    assertThat(now.read(cookie)).isEmpty();
  }

  @Test
  void aNameOfSomebodyElseIsRefused() throws Exception {
    try (Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      assertThat(statusFor(console.port(), "evil.example.com")).isEqualTo(421);
      assertThat(statusFor(console.port(), "evil.example.com:" + console.port())).isEqualTo(421);
      assertThat(statusFor(console.port(), "localhost.evil.com")).isEqualTo(421);
      assertThat(statusFor(console.port(), "localhost:" + console.port())).isEqualTo(200);
      assertThat(statusFor(console.port(), "127.0.0.1:" + console.port())).isEqualTo(200);
      assertThat(statusFor(console.port(), "[::1]:" + console.port())).isEqualTo(200);
      assertThat(statusFor(console.port(), "console.test")).isEqualTo(200);
    }
  }

  private static int statusFor(int port, String host) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      out.write(
          ("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
              .getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      InputStream in = socket.getInputStream();
      String answer = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  @Test
  void usersOfAFileSignInWithTheirPassword() throws Exception {
    Path file = directory.resolve("users");
    Files.writeString(
        file,
        "# who\n"
            + UsersFile.line("olga", Role.OPERATOR, "correct horse".toCharArray())
            + "\n"
            + UsersFile.line("victor", Role.VIEWER, "battery".toCharArray())
            + "\n");
    PasswordAccess access = new PasswordAccess(UsersFile.read(file));
    try (Fixture console =
        Fixture.start(this::look, access, Fixture.sessions(Duration.ofHours(1)), 0)) {
      HttpResponse<String> offer = console.get("api/v1/session");
      assertThat(offer.statusCode()).isEqualTo(401);
      assertThat(Fixture.json(offer).get("signIn").getAsString()).isEqualTo("password");
      HttpResponse<String> welcome = signIn(console, "olga", "correct horse");
      assertThat(welcome.statusCode()).as(welcome.body()).isEqualTo(200);
      assertThat(welcome.headers().firstValue("Set-Cookie").orElseThrow()).contains("HttpOnly");
      assertThat(signIn(console, "victor", "correct horse").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void whoTriesPasswordsIsSlowedDown() throws Exception {
    Path file = directory.resolve("users");
    Files.writeString(file, UsersFile.line("olga", Role.OPERATOR, "secret".toCharArray()));
    PasswordAccess access = new PasswordAccess(UsersFile.read(file));
    try (Fixture console =
        Fixture.start(this::look, access, Fixture.sessions(Duration.ofHours(1)), 0)) {
      HttpResponse<String> answer = signIn(console, "olga", "guess");
      // Each has to wait for longer; on a slow machine the first waits have passed by themselves.
      for (int i = 0; answer.statusCode() == 401 && i < 15; i++) {
        answer = signIn(console, "olga", "guess" + i);
      }
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }
  }

  private static HttpResponse<String> signIn(Fixture console, String user, String password)
      throws Exception {
    return console.post(
        "api/v1/session", "{\"user\":\"" + user + "\",\"password\":\"" + password + "\"}");
  }

  @Test
  void aProxyIsBelievedIfItIsListed() throws Exception {
    Set<String> operators = Set.of("olga");
    ProxyAccess own =
        new ProxyAccess("X-User", List.of(AddressRange.parse("127.0.0.0/8")), operators);
    ProxyAccess another =
        new ProxyAccess("X-User", List.of(AddressRange.parse("10.0.0.0/8")), operators);
    try (Fixture listed = Fixture.start(this::look, own, Fixture.sessions(Duration.ofHours(1)), 0);
        Fixture unlisted =
            Fixture.start(this::look, another, Fixture.sessions(Duration.ofHours(1)), 0)) {
      assertThat(asUser(listed, "olga").body()).contains("\"operator\":true");
      assertThat(asUser(listed, "victor").body()).contains("\"operator\":false");
      assertThat(asUser(listed, "").statusCode()).isEqualTo(401);
      assertThat(listed.get("api/v1/session").statusCode()).isEqualTo(401);
      assertThat(asUser(unlisted, "olga").statusCode()).isEqualTo(401);
      HttpResponse<String> twice =
          Fixture.send(
              listed.request("api/v1/session").header("X-User", "victor").header("X-User", "olga"));
      assertThat(twice.statusCode()).isEqualTo(401);
    }
  }

  @Test
  void behindALoadBalancerWhicheverServerIsAskedKnowsItsOwnPage() throws Exception {
    ProxyAccess access =
        new ProxyAccess("X-User", List.of(AddressRange.parse("127.0.0.0/8")), Set.of("olga"));
    try (Pawl pawl = Pawl.connect(url);
        Fixture one = Fixture.start(this::look, access, Fixture.sessions(Duration.ofHours(1)), 0);
        Fixture two = Fixture.start(this::look, access, Fixture.sessions(Duration.ofHours(1)), 0)) {
      Lease lease = pawl.lock("stuck").acquire();
      HttpResponse<String> session = asUser(one, "olga");
      String token = Fixture.json(session).get("csrfToken").getAsString();
      String cookie = session.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/");
      String kept = cookie.split(";", 2)[0];
      String body = "{\"token\":\"" + lease.token() + "\",\"reason\":\"it hangs\"}";
      // Neither half alone is enough.
      assertThat(release(two, "olga", "", token, body)).isEqualTo(403);
      assertThat(release(two, "olga", kept, "", body)).isEqualTo(403);
      assertThat(release(two, "olga", "pawl-console-csrf=", "", body)).isEqualTo(403);
      assertThat(release(two, "olga", kept, "A".repeat(43), body)).isEqualTo(403);
      lease.confirm();
      // A neighbour in the domain can have the browser send one more, and refuse us nothing by it.
      String tossed = "pawl-console-csrf=" + "B".repeat(43) + "; " + kept;
      assertThat(release(two, "olga", tossed, token, body)).isEqualTo(200);
      HttpResponse<String> again =
          Fixture.send(
              two.request("api/v1/session").header("X-User", "olga").header("Cookie", kept));
      assertThat(Fixture.json(again).get("csrfToken").getAsString()).isEqualTo(token);
      assertThat(again.headers().firstValue("Set-Cookie")).isEmpty();
    }
  }

  private static int release(Fixture console, String user, String cookie, String csrf, String body)
      throws Exception {
    return Fixture.send(
            console
                .request("api/v1/locks/stuck/release")
                .header("Content-Type", "application/json")
                .header("X-User", user)
                .header("Cookie", cookie)
                .header("X-Pawl-Csrf", csrf)
                .POST(HttpRequest.BodyPublishers.ofString(body)))
        .statusCode();
  }

  @Test
  void aUserWhoseNameIsNotAsciiIsWhoTheProxySays() throws Exception {
    ProxyAccess access =
        new ProxyAccess(
            "X-User", List.of(AddressRange.parse("127.0.0.0/8")), Set.of("张三", "Jürgen"));
    try (Fixture console =
        Fixture.start(this::look, access, Fixture.sessions(Duration.ofHours(1)), 0)) {
      for (String name : new String[] {"张三", "Jürgen"}) {
        String inUtf8 = sessionOf(console.port(), name.getBytes(StandardCharsets.UTF_8));
        assertThat(inUtf8).contains("\"user\":\"" + name + "\"", "\"operator\":true");
      }
      String inLatin1 = sessionOf(console.port(), "Jürgen".getBytes(StandardCharsets.ISO_8859_1));
      assertThat(inLatin1).contains("\"user\":\"Jürgen\"", "\"operator\":true");
      String spaced = sessionOf(console.port(), "张三\u3000".getBytes(StandardCharsets.UTF_8));
      assertThat(spaced).as("who ends in an ideographic space").contains("\"operator\":false");
    }
  }

  /** The client of the JDK sends no such header. */
  private static String sessionOf(int port, byte[] user) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      out.write(
          "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-User: "
              .getBytes(StandardCharsets.ISO_8859_1));
      out.write(user);
      out.write("\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void behindAListedProxyWithTlsTheCookieIsSecureAndEachCallerIsSlowedDownAlone() throws Exception {
    Path file = directory.resolve("users");
    Files.writeString(file, UsersFile.line("olga", Role.OPERATOR, "secret".toCharArray()));
    Proxies loopback = new Proxies(List.of(AddressRange.parse("127.0.0.1")));
    Proxies elsewhere = new Proxies(List.of(AddressRange.parse("10.0.0.0/8")));
    assertThat(cookieFor(file, loopback, "https")).endsWith("; Secure");
    for (String proto : new String[] {"http", "https, http", ""}) {
      assertThat(cookieFor(file, loopback, proto)).doesNotContain("Secure");
    }
    assertThat(cookieFor(file, elsewhere, "https")).doesNotContain("Secure");
    assertThat(cookieFor(file, Proxies.NONE, "https")).doesNotContain("Secure");
    // One who tries passwords does not keep the others out who come through the same proxy.
    try (Fixture console = withUsers(file, loopback)) {
      int status = 401;
      for (int i = 0; i < 15 && status == 401; i++) {
        status = signIn(console, "who" + i, "guess", "1.2.3.4, 127.0.0.1").statusCode();
      }
      assertThat(status).isEqualTo(429);
      assertThat(signIn(console, "olga", "secret", "6.6.6.6, 5.6.7.8").statusCode()).isEqualTo(200);
    }
    // And who is no proxy does not get around it by inventing addresses.
    try (Fixture console = withUsers(file, elsewhere)) {
      int status = 401;
      for (int i = 0; i < 15 && status == 401; i++) {
        status = signIn(console, "who" + i, "guess", "1.2.3." + i).statusCode();
      }
      assertThat(status).isEqualTo(429);
    }
  }

  private Fixture withUsers(Path file, Proxies proxies) throws Exception {
    PasswordAccess access = new PasswordAccess(UsersFile.read(file), proxies);
    return Fixture.start(this::look, access, Fixture.sessions(Duration.ofHours(1)), 0);
  }

  private String cookieFor(Path file, Proxies proxies, String proto) throws Exception {
    try (Fixture console = withUsers(file, proxies)) {
      HttpResponse<String> response =
          Fixture.send(
              console
                  .request("api/v1/session")
                  .header("Content-Type", "application/json")
                  .header("X-Forwarded-Proto", proto)
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"user\":\"olga\",\"password\":\"secret\"}")));
      assertThat(response.statusCode()).isEqualTo(200);
      return response.headers().firstValue("Set-Cookie").orElseThrow();
    }
  }

  private static HttpResponse<String> signIn(
      Fixture console, String user, String password, String forwardedFor) throws Exception {
    return Fixture.send(
        console
            .request("api/v1/session")
            .header("Content-Type", "application/json")
            .header("X-Forwarded-For", forwardedFor)
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"user\":\"" + user + "\",\"password\":\"" + password + "\"}")));
  }

  private static HttpResponse<String> asUser(Fixture console, String user) throws Exception {
    return Fixture.send(console.request("api/v1/session").header("X-User", user));
  }
}
