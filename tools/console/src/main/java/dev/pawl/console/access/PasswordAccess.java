package dev.pawl.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Users by name and password. */
public final class PasswordAccess implements Access {

  /** A hash is slow on purpose; no more of them at a time than the rest of the console can bear. */
  private static final int HASHES_AT_A_TIME = 2;

  private final UsersFile users;
  private final Proxies proxies;
  private final Attempts attempts = new Attempts();
  private final Semaphore hashes = new Semaphore(HASHES_AT_A_TIME, true);

  /** Makes one for the users in a file. */
  public PasswordAccess(UsersFile users) {
    this(users, Proxies.NONE);
  }

  /** Makes one for the users in a file, who come through proxies. */
  public PasswordAccess(UsersFile users, Proxies proxies) {
    this.users = users;
    this.proxies = proxies;
  }

  /** How an attempt to sign in ended. */
  public sealed interface Attempt {
    /** The password is right. */
    record Welcome(User user) implements Attempt {}

    /** There is no such user, or the password is wrong: which of the two is not told. */
    record Wrong() implements Attempt {}

    /** There were too many attempts; the password was not looked at. */
    record Later(Duration delay) implements Attempt {}
  }

  /** Checks the password of somebody who asks. */
  public Attempt signIn(String name, String password, HttpServletRequest request) {
    String address = proxies.client(request);
    Optional<Duration> wait = attempts.begin(name, address);
    if (wait.isPresent()) {
      return new Attempt.Later(wait.get());
    }
    if (!hashes.tryAcquire()) {
      return new Attempt.Later(Duration.ofSeconds(1));
    }
    try {
      Optional<User> user = users.check(name, password);
      if (user.isEmpty()) {
        return new Attempt.Wrong();
      }
      attempts.succeeded(name, address);
      return new Attempt.Welcome(user.get());
    } finally {
      hashes.release();
    }
  }

  @Override
  public Optional<User> identified(HttpServletRequest request) {
    return Optional.empty();
  }

  @Override
  public boolean isSecure(HttpServletRequest request) {
    return proxies.isSecure(request);
  }

  @Override
  public boolean knows(User user) {
    return users.has(user);
  }

  @Override
  public boolean hasSessions() {
    return true;
  }

  @Override
  public String kind() {
    return "password";
  }
}
