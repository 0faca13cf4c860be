package dev.pawl.hazelcast;

import dev.pawl.spi.KnownWords;
import dev.pawl.text.DurationText;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A URL taken apart: {@code hazelcast://[CLUSTER@]HOST[:PORT][,HOST[:PORT]…][?OPTIONS]}.
 *
 * @param cluster the name of the cluster: {@code dev}, as Hazelcast calls it, if there is none
 */
record HazelcastUrl(String cluster, List<String> hosts, Map<String, String> parameters) {

  private static final String SCHEME = "hazelcast://";
  private static final String DEFAULT_CLUSTER = "dev";
  private static final int DEFAULT_PORT = 5701;
  private static final Set<String> KNOWN = Set.of("prefix", "timeout", "connectTimeout");

  static HazelcastUrl parse(String url) {
    if (!url.startsWith(SCHEME)) {
      throw new IllegalArgumentException("a Hazelcast URL begins with " + SCHEME);
    }
    String rest = url.substring(SCHEME.length());
    int question = rest.indexOf('?');
    Map<String, String> parameters =
        question < 0 ? Map.of() : parameters(rest.substring(question + 1));
    rest = question < 0 ? rest : rest.substring(0, question);
    int at = rest.lastIndexOf('@');
    if (at == 0) {
      throw new IllegalArgumentException("the name of the cluster before the @ is missing");
    }
    String cluster = at < 0 ? DEFAULT_CLUSTER : decode(rest.substring(0, at));
    String hosts = rest.substring(at + 1);
    if (hosts.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "nothing follows the hosts of a Hazelcast URL but ? and options; the cluster stands"
              + " before them: hazelcast://CLUSTER@HOST:PORT");
    }
    return new HazelcastUrl(cluster, hosts(hosts), parameters);
  }

  private static List<String> hosts(String text) {
    List<String> hosts = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      int close = each.lastIndexOf(']');
      int colon = each.indexOf(':', close + 1);
      String name = colon < 0 ? each : each.substring(0, colon);
      if (name.isEmpty()) {
        throw new IllegalArgumentException("a host is missing");
      }
      hosts.add(name + ":" + (colon < 0 ? DEFAULT_PORT : port(each.substring(colon + 1))));
    }
    return List.copyOf(hosts);
  }

  private static int port(String text) {
    int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is \"" + text + "\"; allowed is 1 to 65535");
    }
    return port;
  }

  private static Map<String, String> parameters(String text) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String each : text.split("&", -1)) {
      int equals = each.indexOf('=');
      String key = equals < 0 ? each : each.substring(0, equals);
      if (!KNOWN.contains(key)) {
        throw new IllegalArgumentException(KnownWords.unknown("parameter", key, KNOWN));
      }
      if (parameters.put(key, equals < 0 ? "" : decode(each.substring(equals + 1))) != null) {
        throw new IllegalArgumentException(key + " is given twice");
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a % has no two hexadecimal digits behind it; for itself it is written as %25", e);
    }
  }

  /** Returns the options with what the URL says of them. */
  HazelcastOptions options(HazelcastOptions base) {
    return base.withPrefix(parameters.getOrDefault("prefix", base.prefix()))
        .withTimeout(duration("timeout", base.timeout()))
        .withConnectTimeout(duration("connectTimeout", base.connectTimeout()));
  }

  private Duration duration(String parameter, Duration otherwise) {
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

  @Override
  public String toString() {
    return SCHEME + cluster + "@" + String.join(",", hosts);
  }
}
