package dev.pawl.console;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Pawl;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import dev.pawl.console.server.ConsoleServer;
import dev.pawl.console.server.TlsKeys;
import dev.pawl.console.watch.OpenStore;
import dev.pawl.console.watch.StoreWatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A console on a server of its own, and a client that is signed in to it or not. */
final class Fixture implements AutoCloseable {

  static final User OPERATOR = new User("olga@test", Role.OPERATOR);
  static final User VIEWER = new User("victor@test", Role.VIEWER);

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  final StoreWatch watch;
  final ConsoleServlet servlet;
  final ConsoleServer server;
  final Access access;
  final Sessions sessions;
  private String cookie = "";
  private String csrf = "";

  private Fixture(
      Supplier<Pawl> store, Access access, Sessions sessions, int port, Optional<TlsKeys> tls)
      throws IOException {
    this.access = access;
    this.sessions = sessions;
    this.watch = new StoreWatch(OpenStore.by(store, "the store of the test"));
    this.servlet = new ConsoleServlet(watch, access, sessions, Hosts.of(Set.of("console.test")));
    this.server = ConsoleServer.start(servlet, InetAddress.getLoopbackAddress(), port, tls);
  }

  static Fixture start(Supplier<Pawl> store, Access access, Sessions sessions, int port)
      throws IOException {
    return new Fixture(store, access, sessions, port, Optional.empty());
  }

  /** Starts one that speaks TLS. */
  static Fixture start(Supplier<Pawl> store, Access access, TlsKeys tls) throws IOException {
    return new Fixture(store, access, sessions(Duration.ofHours(1)), 0, Optional.of(tls));
  }

  /** Starts one for a user who has the link. */
  static Fixture start(String url, User user) throws IOException {
    return start(
        () -> Pawl.builder(url).label("console@test").existingStore().build(),
        new LinkAccess(user),
        sessions(Duration.ofHours(1)),
        0);
  }

  static Sessions sessions(Duration lifetime) {
    return new Sessions(Sessions.newKey(), lifetime, Clock.systemUTC());
  }

  String url() {
    return server.url();
  }

  int port() {
    return URI.create(url()).getPort();
  }

  String link() {
    return url() + "open?token=" + ((LinkAccess) access).token();
  }

  /** Signs the client in as the user of a session. */
  Fixture signedIn(User user) throws Exception {
    cookie = sessions.cookie() + "=" + sessions.issue(user);
    csrf = json(get("api/v1/session")).get("csrfToken").getAsString();
    return this;
  }

  String cookie() {
    return cookie;
  }

  HttpResponse<String> get(String path) throws Exception {
    return send(request(path).GET());
  }

  JsonObject ask(String path) throws Exception {
    HttpResponse<String> response = get("api/v1/" + path);
    if (response.statusCode() != 200) {
      throw new AssertionError(response.statusCode() + " " + response.body());
    }
    return json(response);
  }

  /** Opens a page of that kind, and returns what it is told. */
  BufferedReader events(String view) throws Exception {
    InputStream told =
        HttpClient.newHttpClient()
            .send(
                request("api/v1/events?view=" + view).build(),
                HttpResponse.BodyHandlers.ofInputStream())
            .body();
    return new BufferedReader(new InputStreamReader(told, StandardCharsets.UTF_8));
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .header("X-Pawl-Csrf", csrf)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  HttpRequest.Builder request(String path) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(url() + path)).timeout(Duration.ofSeconds(30));
    return cookie.isEmpty() ? builder : builder.header("Cookie", cookie);
  }

  static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  static JsonObject json(HttpResponse<String> response) {
    return JsonParser.parseString(response.body()).getAsJsonObject();
  }

  @Override
  public void close() {
    server.close();
  }
}
