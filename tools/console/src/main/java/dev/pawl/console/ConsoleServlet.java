package dev.pawl.console;

import dev.pawl.InvalidNameException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.console.access.Access;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.api.Api;
import dev.pawl.console.api.EventStreams;
import dev.pawl.console.api.Problem;
import dev.pawl.console.api.Request;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.OpenStore;
import dev.pawl.console.watch.StoreWatch;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The console, for the server of an application: mapped to a path such as {@code /pawl/*}, with
 * asynchronous requests supported, behind the application's own security.
 *
 * <pre>{@code
 * @Bean
 * ServletRegistrationBean<ConsoleServlet> console(Pawl pawl) {
 *   return new ServletRegistrationBean<>(
 *       new ConsoleServlet(pawl, Access.ofContainer("OPERATOR")), "/pawl/*");
 * }
 * }</pre>
 */
public final class ConsoleServlet extends HttpServlet {

  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(ConsoleServlet.class);

  private static final String API = "api/v1/";
  private static final Duration LIFETIME = Duration.ofHours(8);

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
              + " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none';"
              + " require-trusted-types-for 'script'; trusted-types 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()",
          "Cache-Control",
          "no-store");

  private final transient StoreWatch watch;
  private final transient Api api;
  private final transient EventStreams streams;
  private final transient SignIn signIn;
  private final transient Access access;
  private final transient Sessions sessions;
  private final transient Hosts hosts;
  private final transient Assets assets = new Assets();

  /** Shows the store of that node, which stays the caller's. */
  public ConsoleServlet(Pawl pawl, Access access) {
    this(
        new StoreWatch(OpenStore.of(Objects.requireNonNull(pawl, "pawl"))),
        access,
        new Sessions(Sessions.newKey(), LIFETIME, Clock.systemUTC()),
        Hosts.any());
  }

  /** Shows what is watched, which this servlet closes. */
  public ConsoleServlet(StoreWatch watch, Access access, Sessions sessions, Hosts hosts) {
    this.watch = watch;
    this.api = new Api(watch);
    this.streams = new EventStreams(api);
    this.access = access;
    this.sessions = sessions;
    this.hosts = hosts;
    this.signIn = new SignIn(access, sessions);
  }

  /** Returns how many pages are open. */
  public int openPages() {
    return streams.open();
  }

  @Override
  protected void service(HttpServletRequest http, HttpServletResponse response) throws IOException {
    HEADERS.forEach(response::setHeader);
    try {
      if (!hosts.allows(http.getHeader("Host"))) {
        throw new Problem(
            421, "host", "this name is not known here; pawl console --host NAME allows one");
      }
      answer(http, response);
    } catch (Problem e) {
      refuse(response, e);
    } catch (UnsupportedByStoreException e) {
      refuse(response, new Problem(409, "unsupported", message(e)));
    } catch (InvalidNameException e) {
      refuse(response, Problem.malformed(message(e)));
    } catch (OutcomeUnknownException e) {
      // It may have been done (I11): a program that takes this for a failure would be wrong.
      refuse(response, new Problem(503, "store", message(e)).because("outcome-unknown", Map.of()));
    } catch (PawlException e) {
      refuse(response, new Problem(503, "store", message(e)));
    } catch (RuntimeException e) {
      LOG.error("a request could not be answered", e);
      refuse(response, new Problem(500, "bug", "this is a bug; the log of the console says more"));
    }
  }

  private void answer(HttpServletRequest http, HttpServletResponse response) throws IOException {
    String path = Body.path(http);
    boolean reads = http.getMethod().equals("GET") || http.getMethod().equals("HEAD");
    if (path.startsWith(API)) {
      answerApi(http, response, path.substring(API.length()));
    } else if (!reads) {
      response.setHeader("Allow", "GET, HEAD");
      throw new Problem(405, "method", "only GET is possible here");
    } else if (path.equals("open")) {
      if (!signIn.open(http, response)) {
        response.setStatus(HttpServletResponse.SC_FORBIDDEN);
        assets.send("index.html", http, response);
      }
    } else if (path.isEmpty() && !http.getRequestURI().endsWith("/")) {
      // Without the slash, what the page names would be looked for beside it.
      response.sendRedirect(http.getRequestURI() + "/");
    } else if (!assets.send(path.isEmpty() ? "index.html" : path, http, response)) {
      throw Problem.notFound();
    }
  }

  private void answerApi(HttpServletRequest http, HttpServletResponse response, String path)
      throws IOException {
    Request request = Request.of(http, access, sessions);
    String methods = Api.methods(path);
    String method = http.getMethod().equals("HEAD") ? "GET" : http.getMethod();
    if (methods.isEmpty()) {
      throw Problem.notFound();
    }
    // Who asks for the headers of events would never be seen to go.
    if (!methods.contains(path.equals("events") ? http.getMethod() : method)) {
      response.setHeader("Allow", methods);
      throw new Problem(405, "method", "possible here: " + methods);
    }
    if (path.equals("events")) {
      streams.begin(request, response);
    } else if (path.equals("session") && method.equals("POST")) {
      send(response, 200, signIn.withPassword(http, response, Body.fields(http)));
    } else if (path.equals("session") && method.equals("DELETE")) {
      send(response, 200, signIn.out(http, request, response));
    } else if (path.equals("session") && request.user().isEmpty()) {
      send(response, 401, signIn.offer());
    } else if (path.equals("session")) {
      Map<String, @Nullable Object> session = api.get(request, path);
      signIn.keepToken(http, request, response);
      session.put(
          "full", streams.isFull()); // A browser does not tell the page why it gets no events.
      send(response, 200, session);
    } else if (method.equals("GET")) {
      send(response, 200, api.get(request, path));
    } else {
      send(response, 200, api.post(request, path, () -> Body.fields(http)));
    }
  }

  private static void refuse(HttpServletResponse response, Problem problem) throws IOException {
    if (!response.isCommitted()) {
      send(response, problem.status(), problem.body());
    }
  }

  private static void send(
      HttpServletResponse response, int status, Map<String, @Nullable Object> body)
      throws IOException {
    response.setStatus(status);
    response.setContentType("application/json;charset=UTF-8");
    response.getWriter().write(Json.forBrowsers(body));
  }

  private static String message(Exception failure) {
    return Objects.requireNonNullElse(failure.getMessage(), failure.toString());
  }

  /**
   * Ends what the open pages are told, and opens no more until {@link #resume}. Each of them is a
   * request without an end, for which a server that shuts down gracefully would wait.
   */
  public void stop() {
    streams.stop();
  }

  /** Lets pages be told of changes again, after {@link #stop}. */
  public void resume() {
    streams.resume();
  }

  /** Ends what the open pages are told, and the reading of the store. */
  @Override
  public void destroy() {
    streams.close();
    watch.close();
  }
}
