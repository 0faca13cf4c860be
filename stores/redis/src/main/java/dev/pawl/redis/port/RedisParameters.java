package dev.pawl.redis.port;

import dev.pawl.spi.KnownWords;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The parameters of URLs: which there are depends on the scheme, and none is ignored. */
final class RedisParameters {

  private static final Set<String> ALL =
      Set.of("prefix", "user", "passwordFile", "passwordEnv", "tls");

  private static final Set<String> ONE =
      Set.of("timeout", "replicas", "replicaTimeout", "client", "database");

  private static final Map<String, Set<String>> MORE =
      Map.of(
          "redis", ONE,
          "rediss", ONE,
          "redis-sentinel",
              union(ONE, Set.of("sentinelUser", "sentinelPasswordFile", "sentinelPasswordEnv")),
          "redis-cluster", Set.of("timeout", "replicas", "replicaTimeout", "client"),
          "redlock", Set.of("serverTimeout", "restartDelay", "database"));

  private RedisParameters() {}

  /**
   * Reads what follows the question mark.
   *
   * @throws IllegalArgumentException if there is a parameter that this scheme does not have
   */
  static Map<String, String> parse(String scheme, String text) {
    Set<String> known = union(ALL, MORE.getOrDefault(scheme, Set.of()));
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String each : text.split("&", -1)) {
      int equals = each.indexOf('=');
      String key = equals < 0 ? each : each.substring(0, equals);
      if (!known.contains(key)) {
        throw new IllegalArgumentException(unknown(scheme, key, known, text.indexOf('@') >= 0));
      }
      String value = equals < 0 ? "" : RedisUrl.decode(each.substring(equals + 1));
      if (parameters.put(key, value) != null) {
        throw new IllegalArgumentException(key + " is given twice");
      }
    }
    once("passwordFile", "passwordEnv", parameters);
    once("sentinelPasswordFile", "sentinelPasswordEnv", parameters);
    if (parameters.containsKey("sentinelUser")
        && !parameters.containsKey("sentinelPasswordFile")
        && !parameters.containsKey("sentinelPasswordEnv")) {
      throw new IllegalArgumentException(
          "sentinelUser needs a password: add sentinelPasswordFile= or sentinelPasswordEnv=");
    }
    String tls = parameters.getOrDefault("tls", "false");
    if (!tls.equals("true") && !tls.equals("false")) {
      throw new IllegalArgumentException("tls is \"" + tls + "\"; allowed is true and false");
    }
    return parameters;
  }

  private static void once(String one, String other, Map<String, String> parameters) {
    if (parameters.containsKey(one) && parameters.containsKey(other)) {
      throw new IllegalArgumentException("one of " + one + " and " + other + " is enough");
    }
  }

  /**
   * Checks that the parameters do not say once more, and perhaps otherwise, what the URL says.
   *
   * @param secret what stands before the host; empty if nothing does
   */
  static void check(String scheme, String secret, String path, Map<String, String> parameters) {
    boolean fetched =
        parameters.containsKey("passwordFile") || parameters.containsKey("passwordEnv");
    if (!secret.isEmpty() && fetched) {
      throw new IllegalArgumentException(
          "there is a password before the @, and one by parameter; give one of them, and the user"
              + " of the latter as user=");
    }
    if (secret.indexOf(':') > 0 && parameters.containsKey("user")) {
      throw new IllegalArgumentException("the user is given twice, before the @ and as user=");
    }
    if (!path.isEmpty() && !scheme.equals("redis-sentinel") && parameters.containsKey("database")) {
      throw new IllegalArgumentException(
          "the database is given twice, behind the host and as database=");
    }
    if (scheme.equals("rediss") && "false".equals(parameters.get("tls"))) {
      throw new IllegalArgumentException("rediss:// has TLS; without it, it is redis://");
    }
  }

  private static String unknown(String scheme, String key, Set<String> known, boolean secret) {
    if (secret) {
      return "unknown parameter, or a ? in a password, which is written as %3F; known are "
          + KnownWords.list(known);
    }
    String others =
        MORE.entrySet().stream()
            .filter(more -> more.getValue().contains(key))
            .map(more -> more.getKey() + "://")
            .sorted()
            .collect(Collectors.joining(", "));
    return others.isEmpty()
        ? KnownWords.unknown("parameter", key, known)
        : key
            + " is for "
            + others
            + " and not for "
            + scheme
            + "://, whose parameters are "
            + KnownWords.list(known);
  }

  private static Set<String> union(Set<String> some, Set<String> more) {
    Set<String> all = new HashSet<>(some);
    all.addAll(more);
    return Set.copyOf(all);
  }
}
