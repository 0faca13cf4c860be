package dev.pawl.console.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Who has signed in, by what the browser keeps: user, role, an id and an end, signed. Nothing of it
 * is kept here but the ids of those who have signed out before their end.
 */
public final class Sessions {

  private static final int KEY_BYTES = 32;
  private static final int ID_BYTES = 16;
  private static final int MOST_ENDED = 10_000;
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  private final byte[] key;
  private final Duration lifetime;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Instant> ended = new LinkedHashMap<>();

  /** Signs with a key, by which other consoles with the same one know their sessions. */
  public Sessions(byte[] key, Duration lifetime, Clock clock) {
    if (key.length < KEY_BYTES) {
      throw new IllegalArgumentException(
          "the key has " + key.length + " bytes; it needs " + KEY_BYTES);
    }
    this.key = key.clone();
    this.lifetime = lifetime;
    this.clock = clock;
  }

  /** Returns a key that nobody else has. */
  public static byte[] newKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  /**
   * A session.
   *
   * @param id what tells it from all others
   */
  public record Session(User user, String id, Instant expires) {}

  /** Returns what the browser is to keep. */
  public String issue(User user) {
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    String content =
        String.join(
            "\n",
            user.name(),
            user.role().name(),
            TEXT.encodeToString(id),
            Long.toString(clock.instant().plus(lifetime).toEpochMilli()));
    String text = TEXT.encodeToString(content.getBytes(StandardCharsets.UTF_8));
    return text + "." + sign("session", text);
  }

  /**
   * Returns the name of the cookie. Consoles on other ports of the host have the same cookies, so
   * each key has a name of its own.
   */
  public String cookie() {
    return "pawl-console-" + sign("cookie", "").substring(0, 8).replaceAll("[^A-Za-z0-9]", "0");
  }

  /** Returns the time by which they end. */
  public Instant now() {
    return clock.instant();
  }

  /** Returns how long a session lasts. */
  public Duration lifetime() {
    return lifetime;
  }

  /** Returns the session that the browser has kept; empty if it is not ours, or has ended. */
  public Optional<Session> read(String cookie) {
    int dot = cookie.indexOf('.');
    if (dot < 0 || !isSigned(cookie.substring(0, dot), cookie.substring(dot + 1))) {
      return Optional.empty();
    }
    byte[] content = Base64.getUrlDecoder().decode(cookie.substring(0, dot));
    String[] parts = new String(content, StandardCharsets.UTF_8).split("\n", -1);
    Session session =
        new Session(
            new User(parts[0], Role.valueOf(parts[1])),
            parts[2],
            Instant.ofEpochMilli(Long.parseLong(parts[3])));
    return isAlive(session) ? Optional.of(session) : Optional.empty();
  }

  /** Tells whether a session still counts. */
  public boolean isAlive(Session session) {
    lock.lock();
    try {
      return clock.instant().isBefore(session.expires()) && !ended.containsKey(session.id());
    } finally {
      lock.unlock();
    }
  }

  /** Ends a session before its time. */
  public void end(Session session) {
    lock.lock();
    try {
      Instant now = clock.instant();
      ended.values().removeIf(expires -> expires.isBefore(now));
      ended.put(session.id(), session.expires());
      Iterator<String> oldest = ended.keySet().iterator();
      while (ended.size() > MOST_ENDED) {
        oldest.next();
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns what a page of ours sends along with each request that changes something, and no page
   * of another site can know.
   *
   * @param whose the id of the session; or the user, where there is none
   */
  public String csrfToken(String whose) {
    return sign("csrf", whose);
  }

  /** Tells whether that is the token. */
  public boolean isCsrfToken(String whose, String offered) {
    return MessageDigest.isEqual(
        csrfToken(whose).getBytes(StandardCharsets.UTF_8),
        offered.getBytes(StandardCharsets.UTF_8));
  }

  private boolean isSigned(String text, String signature) {
    return MessageDigest.isEqual(
        sign("session", text).getBytes(StandardCharsets.UTF_8),
        signature.getBytes(StandardCharsets.UTF_8));
  }

  private String sign(String purpose, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return TEXT.encodeToString(
          mac.doFinal((purpose + "\n" + text).getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }
}
