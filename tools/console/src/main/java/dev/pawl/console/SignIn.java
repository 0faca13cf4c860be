package dev.pawl.console;

import dev.pawl.console.access.Access;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.User;
import dev.pawl.console.api.Problem;
import dev.pawl.console.api.Request;
import dev.pawl.console.json.Json;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The way in and out, where the console has users of its own. */
final class SignIn {

  private final Access access;
  private final Sessions sessions;

  SignIn(Access access, Sessions sessions) {
    this.access = access;
    this.sessions = sessions;
  }

  /**
   * Takes the token of the link, and leads away from it at once: it stays in no history. Returns
   * false if it is of another start; the page then says what to do.
   */
  boolean open(HttpServletRequest http, HttpServletResponse response) {
    List<String> tokens = Request.values(http, "token");
    Optional<User> user =
        access instanceof LinkAccess link && tokens.size() == 1
            ? link.open(tokens.get(0))
            : Optional.empty();
    if (user.isEmpty()) {
      return false;
    }
    keep(http, response, sessions.cookie(), sessions.issue(user.get()), lifetime());
    response.setStatus(HttpServletResponse.SC_SEE_OTHER);
    response.setHeader("Location", "./");
    return true;
  }

  Map<String, @Nullable Object> withPassword(
      HttpServletRequest http, HttpServletResponse response, Map<String, String> body) {
    if (!(access instanceof PasswordAccess passwords)) {
      throw new Problem(409, "no-passwords", "nobody signs in here with a password");
    }
    requireSameSite(http);
    String name = body.getOrDefault("user", "");
    String password = body.getOrDefault("password", "");
    PasswordAccess.Attempt attempt = passwords.signIn(name, password, http);
    if (attempt instanceof PasswordAccess.Attempt.Welcome welcome) {
      keep(http, response, sessions.cookie(), sessions.issue(welcome.user()), lifetime());
      return Json.object("user", welcome.user().name());
    }
    if (attempt instanceof PasswordAccess.Attempt.Later later) {
      long seconds = Math.max(1, later.delay().plusMillis(999).toSeconds());
      response.setHeader("Retry-After", Long.toString(seconds));
      throw new Problem(429, "later", "too many attempts; try again in " + seconds + " s")
          .because("later", Json.object("seconds", seconds));
    }
    throw new Problem(401, "wrong", "the name or the password is wrong");
  }

  Map<String, @Nullable Object> out(
      HttpServletRequest http, Request request, HttpServletResponse response) {
    request
        .session()
        .ifPresent(
            session -> {
              request.requireOwnPage();
              sessions.end(session);
              keep(http, response, sessions.cookie(), "", 0);
            });
    return Json.object("signedOut", true);
  }

  /** Returns how somebody who is not known can sign in. */
  Map<String, @Nullable Object> offer() {
    return Json.object(
        "error",
        Json.object("code", "signed-out", "message", "sign in first, or again"),
        "signIn",
        access.kind());
  }

  /** A form of another site must not sign somebody in as somebody else. */
  private static void requireSameSite(HttpServletRequest http) {
    String site = http.getHeader("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw new Problem(403, "cross-site", "this came from the page of another site");
    }
  }

  /** Has a browser that has no session keep the token by which it shows that a page is ours. */
  void keepToken(HttpServletRequest http, Request request, HttpServletResponse response) {
    if (request.isTokenToBeKept()) {
      keep(http, response, Request.CSRF_COOKIE, request.csrfToken(), lifetime());
    }
  }

  private long lifetime() {
    return sessions.lifetime().toSeconds();
  }

  private void keep(
      HttpServletRequest http,
      HttpServletResponse response,
      String name,
      String value,
      long seconds) {
    String path = http.getContextPath() + http.getServletPath() + "/";
    response.addHeader(
        "Set-Cookie",
        name
            + "="
            + value
            + "; Path="
            + path
            + "; Max-Age="
            + seconds
            + "; HttpOnly; SameSite=Strict"
            + (access.isSecure(http) ? "; Secure" : ""));
  }
}
