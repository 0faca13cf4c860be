package dev.pawl.cli.shell;

import java.io.PrintStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The secrets in the URL of a store, which are kept out of messages, stack traces and the log. */
final class Secrets {

  private static final String HIDDEN = "***";

  /** All that may have one; passwordFile and passwordEnv only say where it is. */
  private static final Pattern PARAMETER =
      Pattern.compile(
          "[?&;][^=&;?]*(?:pass|pwd|secret|token|credential)[^=&;?]*(?<!File|Env)=([^&;]+)",
          Pattern.CASE_INSENSITIVE);

  private static final List<String> KNOWN = new CopyOnWriteArrayList<>();

  private Secrets() {}

  /** Tells whether the URL has a secret in it. */
  static boolean isIn(String url) {
    return !of(url).isEmpty();
  }

  /** Has the secrets of a URL hidden from now on. */
  static void hide(String url) {
    KNOWN.addAll(of(url));
    // The longest first: one secret may be the beginning of another.
    KNOWN.sort(Comparator.comparing(String::length).reversed());
  }

  /**
   * Returns the text without the secrets that are to be hidden. One that is part of a longer word
   * is none: a gap in it would tell a short one.
   */
  static String redact(String text) {
    String redacted = text;
    for (String secret : KNOWN) {
      redacted = whole(secret).matcher(redacted).replaceAll(Matcher.quoteReplacement(HIDDEN));
    }
    return redacted;
  }

  private static Pattern whole(String secret) {
    boolean beginsWord = Character.isLetterOrDigit(secret.codePointAt(0));
    boolean endsWord = Character.isLetterOrDigit(secret.codePointBefore(secret.length()));
    return Pattern.compile(
        (beginsWord ? "(?<![\\p{L}\\p{N}])" : "")
            + Pattern.quote(secret)
            + (endsWord ? "(?![\\p{L}\\p{N}])" : ""));
  }

  /** Returns the secrets of a URL, as they are written and as they are meant. */
  static Set<String> of(String url) {
    Set<String> secrets = new LinkedHashSet<>();
    for (String part : StoreAddress.parts(url)) {
      for (String login : logins(part)) {
        add(secrets, login.substring(login.indexOf(':') + 1));
      }
      Matcher parameter = PARAMETER.matcher(part);
      while (parameter.find()) {
        add(secrets, parameter.group(1));
      }
    }
    return secrets;
  }

  /** Returns what stands before the hosts: {@code user:secret}, {@code :secret}, {@code secret}. */
  private static List<String> logins(String url) {
    int start = url.indexOf("//") + 2;
    // A secret may have a / or a ? in it that should have been encoded. In a parameter of a JDBC
    // URL an @ is usual.
    int parameters = url.startsWith("jdbc:") ? url.indexOf('?') : -1;
    int end = url.lastIndexOf('@', parameters < 0 ? url.length() : parameters);
    // What stands there in the URL of a Hazelcast cluster is its name.
    if (start < 2 || end < start || url.startsWith("hazelcast:")) {
      return List.of();
    }
    List<String> logins = new ArrayList<>();
    String login = "";
    for (String part : url.substring(start, end).split("@", -1)) {
      // Behind an @ is a host, and behind a comma the next login; or the @ is in a secret.
      int comma = part.indexOf(',');
      if (comma >= 0 && !login.isEmpty()) {
        logins.add(login);
        login = part.substring(comma + 1);
      } else {
        login = login.isEmpty() ? part : login + "@" + part;
      }
    }
    logins.add(login);
    return logins;
  }

  private static void add(Set<String> secrets, String secret) {
    if (!secret.isEmpty()) {
      secrets.add(secret);
      secrets.add(decoded(secret));
    }
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  /** Returns a stream that hides them in what is printed to it line by line, as a log is. */
  static PrintStream hidingFrom(PrintStream next) {
    return new PrintStream(next, true, StandardCharsets.UTF_8) {
      @Override
      public void print(@Nullable String text) {
        super.print(redact(String.valueOf(text)));
      }

      @Override
      public void println(@Nullable String line) {
        super.println(redact(String.valueOf(line)));
      }

      @Override
      public void println(@Nullable Object line) {
        super.println(redact(String.valueOf(line)));
      }
    };
  }
}
