package dev.pawl.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/** Whoever has the link that was printed at the start: the person at this machine. */
public final class LinkAccess implements Access {

  private static final int TOKEN_BYTES = 24;

  private final User user;
  private final String token;

  /** Makes one for that user, with a token that nobody can guess. */
  public LinkAccess(User user) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    this.user = user;
    this.token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /** Returns the token, which is a secret. */
  public String token() {
    return token;
  }

  /** Returns who came with that token; empty if it is another. */
  public Optional<User> open(String offered) {
    byte[] expected = token.getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(expected, offered.getBytes(StandardCharsets.UTF_8))
        ? Optional.of(user)
        : Optional.empty();
  }

  @Override
  public Optional<User> identified(HttpServletRequest request) {
    return Optional.empty();
  }

  @Override
  public boolean knows(User known) {
    return user.equals(known);
  }

  @Override
  public boolean hasSessions() {
    return true;
  }

  @Override
  public String kind() {
    return "link";
  }
}
