package dev.pawl.console.api;

import dev.pawl.console.access.Access;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Who asks, and whether they may. */
public final class Request {

  /** What a page of ours sends along when it changes something. */
  public static final String CSRF_HEADER = "X-Pawl-Csrf";

  /**
   * Where the browser keeps the token if it has no session: each server of an application has a key
   * of its own, and which of them answers next is the load balancer's matter. It need not be ours,
   * only the same as in the header, which no other site can send.
   */
  public static final String CSRF_COOKIE = "pawl-console-csrf";

  private static final Pattern CSRF_TOKEN = Pattern.compile("[A-Za-z0-9_-]{43}");

  /**
   * How long an open page is told of changes before it has to ask again, where the application or a
   * proxy says who it is: they are not asked in between.
   */
  private static final Duration BELIEVED = Duration.ofMinutes(1);

  private final HttpServletRequest http;
  private final Sessions sessions;
  private final Optional<Sessions.Session> session;
  private final Optional<User> user;

  /** What the browser keeps; another site of the domain may have had it keep one more. */
  private final List<String> keptTokens;

  private final Instant believedUntil;

  private Request(
      HttpServletRequest http,
      Sessions sessions,
      Optional<Sessions.Session> session,
      Optional<User> user,
      List<String> keptTokens) {
    this.http = http;
    this.sessions = sessions;
    this.session = session;
    this.user = user;
    this.keptTokens = keptTokens;
    this.believedUntil = sessions.now().plus(BELIEVED);
  }

  /** Finds out who asks. */
  public static Request of(HttpServletRequest http, Access access, Sessions sessions) {
    if (!access.hasSessions()) {
      List<String> kept =
          cookies(http, CSRF_COOKIE).filter(value -> CSRF_TOKEN.matcher(value).matches()).toList();
      return new Request(http, sessions, Optional.empty(), access.identified(http), kept);
    }
    Optional<Sessions.Session> session =
        cookies(http, sessions.cookie())
            .flatMap(value -> sessions.read(value).stream())
            .filter(known -> access.knows(known.user()))
            .findFirst();
    return new Request(http, sessions, session, session.map(Sessions.Session::user), List.of());
  }

  private static Stream<String> cookies(HttpServletRequest http, String name) {
    Cookie[] cookies = http.getCookies();
    return Arrays.stream(cookies == null ? new Cookie[0] : cookies)
        .filter(cookie -> cookie.getName().equals(name))
        .map(Cookie::getValue);
  }

  /** Returns the values of a parameter; none if it is not there. */
  public static List<String> values(HttpServletRequest http, String name) {
    try {
      String[] values = http.getParameterValues(name);
      return values == null ? List.of() : List.of(values);
    } catch (RuntimeException e) {
      // Each server has an exception of its own for what it cannot decode.
      throw Problem.malformed("the parameters are not percent-encoded UTF-8");
    }
  }

  HttpServletRequest http() {
    return http;
  }

  /** Returns the session, where there is one. */
  public Optional<Sessions.Session> session() {
    return session;
  }

  /** Returns who asks, if they are known. */
  public Optional<User> user() {
    return user;
  }

  /** Tells whether whoever asked may still look. */
  boolean isAlive() {
    return session.map(sessions::isAlive).orElseGet(() -> sessions.now().isBefore(believedUntil));
  }

  /** Returns who asks. */
  User requireUser() {
    return user.orElseThrow(
        () -> new Problem(401, "signed-out", "sign in first, or again: nobody is known here"));
  }

  /** Returns who asks, who may step in and means it. */
  User requireOperator() {
    User known = requireUser();
    if (!known.isOperator()) {
      throw new Problem(403, "not-operator", known.name() + " may look, but not step in");
    }
    requireOwnPage();
    return known;
  }

  /** Refuses what another site has made this browser send. */
  public void requireOwnPage() {
    String offered = http.getHeader(CSRF_HEADER);
    if (offered == null || !(sessions.isCsrfToken(whose(), offered) || isKept(offered))) {
      throw new Problem(
          403, "csrf", "the header " + CSRF_HEADER + " has to be the csrfToken of api/v1/session");
    }
  }

  private boolean isKept(String offered) {
    byte[] bytes = offered.getBytes(StandardCharsets.UTF_8);
    return keptTokens.stream()
        .anyMatch(kept -> MessageDigest.isEqual(kept.getBytes(StandardCharsets.UTF_8), bytes));
  }

  /** Returns the token for {@link #CSRF_HEADER}. */
  public String csrfToken() {
    return keptTokens.stream().findFirst().orElseGet(() -> sessions.csrfToken(whose()));
  }

  /** Tells whether the browser is to keep the token, and does not yet. */
  public boolean isTokenToBeKept() {
    return session.isEmpty() && keptTokens.isEmpty();
  }

  private String whose() {
    return session
        .map(Sessions.Session::id)
        .orElseGet(() -> user.map(known -> "user " + known.name()).orElse("nobody"));
  }
}
