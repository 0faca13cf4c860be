package dev.pawl.redis.port;

import dev.pawl.text.DurationText;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A URL taken apart: {@code
 * SCHEME://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]…][/PATH][?OPTIONS]}.
 *
 * @param path the database, or behind Sentinel the name of the master; may be empty
 */
public record RedisUrl(
    String scheme,
    @Nullable String user,
    @Nullable String password,
    List<Host> hosts,
    String path,
    Map<String, String> parameters) {

  static final int REDIS_PORT = 6379;
  static final int SENTINEL_PORT = 26379;

  /** One server's address. */
  public record Host(String name, int port) {
    @Override
    public String toString() {
      return (name.indexOf(':') < 0 ? name : "[" + name + "]") + ":" + port;
    }
  }

  public static RedisUrl parse(String url) {
    int start = url.indexOf("://");
    if (start < 0) {
      throw new IllegalArgumentException("a Redis URL begins with redis:// or the like");
    }
    String scheme = url.substring(0, start);
    String rest = url.substring(start + 3);
    int question = rest.indexOf('?');
    Map<String, String> parameters =
        question < 0 ? Map.of() : RedisParameters.parse(scheme, rest.substring(question + 1));
    rest = question < 0 ? rest : rest.substring(0, question);
    int at = rest.lastIndexOf('@');
    String secret = at < 0 ? "" : rest.substring(0, at);
    if (secret.matches(".*@.*,.*")) {
      throw new IllegalArgumentException(
          "a "
              + scheme
              + ":// URL has one user and password for all servers, as in USER:PASSWORD@HOST,HOST;"
              + " a @ in a password is written as %40");
    }
    rest = rest.substring(at + 1);
    int slash = rest.indexOf('/');
    String path = slash < 0 ? "" : decode(rest.substring(slash + 1));
    if (!path.isEmpty() && (scheme.equals("redis-cluster") || scheme.equals("redlock"))) {
      throw new IllegalArgumentException(
          "nothing follows the hosts of a "
              + scheme
              + ":// URL but ? and parameters"
              + (scheme.equals("redlock") ? "; a database is ?database=N" : ""));
    }
    int port = scheme.equals("redis-sentinel") ? SENTINEL_PORT : REDIS_PORT;
    List<Host> hosts = hosts(slash < 0 ? rest : rest.substring(0, slash), port);
    if (hosts.size() > 1 && (scheme.equals("redis") || scheme.equals("rediss"))) {
      throw new IllegalArgumentException(
          "a "
              + scheme
              + ":// URL has one server; several are redis-cluster://, redis-sentinel:// or"
              + " redlock://");
    }
    RedisParameters.check(scheme, secret, path, parameters);
    int colon = secret.indexOf(':');
    @Nullable String user = colon > 0 ? decode(secret.substring(0, colon)) : parameters.get("user");
    @Nullable String password =
        at < 0 ? fetched("password", parameters) : decode(secret.substring(colon + 1));
    if (user != null && password == null) {
      throw new IllegalArgumentException(
          "a user needs a password: write USER:PASSWORD@HOST, or add passwordFile= or"
              + " passwordEnv=");
    }
    return new RedisUrl(scheme, user, password, hosts, path, parameters);
  }

  private static List<Host> hosts(String text, int defaultPort) {
    List<Host> hosts = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      int close = each.lastIndexOf(']');
      int colon = each.indexOf(':', close + 1);
      String name = colon < 0 ? each : each.substring(0, colon);
      if (name.startsWith("[") && close > 0) {
        name = name.substring(1, close);
      }
      if (name.isEmpty()) {
        // What stands in its place may be a secret, as in the messages below.
        throw new IllegalArgumentException("a host is missing");
      }
      hosts.add(new Host(name, colon < 0 ? defaultPort : port(each.substring(colon + 1))));
    }
    return hosts;
  }

  private static int port(String text) {
    if (!text.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("a port is no number; allowed is 1 to 65535");
    }
    if (Integer.parseInt(text) > 65_535 || Integer.parseInt(text) == 0) {
      throw new IllegalArgumentException("port is " + text + "; allowed is 1 to 65535");
    }
    return Integer.parseInt(text);
  }

  /** A password that does not stand in the URL, which ends up in logs and process lists. */
  private static @Nullable String fetched(String what, Map<String, String> parameters) {
    String file = parameters.get(what + "File");
    if (file != null) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException e) {
        throw new IllegalArgumentException(what + "File " + file + " cannot be read", e);
      }
    }
    String variable = parameters.get(what + "Env");
    if (variable != null) {
      String value = System.getenv(variable);
      if (value == null) {
        throw new IllegalArgumentException(what + "Env names " + variable + ", which is not set");
      }
      return value;
    }
    return null;
  }

  public @Nullable String sentinelUser() {
    return parameters.get("sentinelUser");
  }

  /** Returns what the Sentinels want to hear; the servers' password is not for them. */
  public @Nullable String sentinelPassword() {
    return fetched("sentinelPassword", parameters);
  }

  public boolean tls() {
    return scheme.equals("rediss") || "true".equals(parameters.get("tls"));
  }

  public boolean jedis() {
    String client = parameters.getOrDefault("client", "lettuce");
    if (!client.equals("lettuce") && !client.equals("jedis")) {
      throw new IllegalArgumentException(
          "client is \"" + client + "\"; allowed are lettuce and jedis");
    }
    return client.equals("jedis");
  }

  public int database() {
    String text = scheme.equals("redis") || scheme.equals("rediss") ? path : "";
    text = text.isEmpty() ? parameters.getOrDefault("database", "0") : text;
    if (!text.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("database is \"" + text + "\"; it must be a number");
    }
    return Integer.parseInt(text);
  }

  /** Returns the duration of a parameter, such as {@code 250ms} or {@code 1m30s}. */
  public Duration duration(String parameter, Duration otherwise) {
    String text = parameters.get(parameter);
    if (text == null) {
      return otherwise;
    }
    try {
      return DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(parameter + ": " + e.getMessage(), e);
    }
  }

  static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a % has no two hexadecimal digits behind it; for itself it is written as %25");
    }
  }

  /** Without secrets. */
  @Override
  public String toString() {
    String servers = String.join(",", hosts.stream().map(Host::toString).toList());
    return scheme + "://" + servers + (path.isEmpty() ? "" : "/" + path);
  }
}
