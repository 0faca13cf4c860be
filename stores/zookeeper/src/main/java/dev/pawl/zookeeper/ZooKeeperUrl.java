package dev.pawl.zookeeper;

import dev.pawl.spi.KnownWords;
import dev.pawl.text.DurationText;
import dev.pawl.zookeeper.session.Link;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * A URL taken apart: {@code zk://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]…][/ROOT][?OPTIONS]}.
 *
 * @param root where everything is kept; empty for the default
 */
record ZooKeeperUrl(
    @Nullable String user,
    @Nullable String password,
    List<String> hosts,
    String root,
    Map<String, String> parameters) {

  private static final int ENOUGH_ADDRESSES = 4;

  /** What a URL looks like, for messages. */
  static final String FORM = "zk://HOST[:PORT],…[/ROOT]";

  private static final String SCHEME = "zk://";
  private static final int PORT = 2181;
  private static final int CONNECTION_MILLIS = 5_000;

  /**
   * How many bytes an answer may have. ZooKeeper's own limit is a megabyte, which the list of some
   * ten thousand names exceeds; the client then drops its connection, again and again.
   */
  private static final int LONGEST_ANSWER = 64 << 20;

  private static final Set<String> KNOWN =
      Set.of(
          "strategy",
          "sessionTimeout",
          "retention",
          "user",
          "passwordFile",
          "passwordEnv",
          "acl",
          "tls",
          "trustStore",
          "trustStorePasswordFile",
          "keyStore",
          "keyStorePasswordFile");

  /**
   * Reads a URL.
   *
   * @throws IllegalArgumentException if it is malformed; the message shows the form and no secret
   */
  static ZooKeeperUrl parse(String url) {
    try {
      return read(url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage()
              + "; write it like "
              + FORM
              + ", for instance zk://zk1:2181,zk2:2181,zk3:2181/pawl",
          e);
    }
  }

  private static ZooKeeperUrl read(String url) {
    if (!url.startsWith(SCHEME)) {
      throw new IllegalArgumentException("a ZooKeeper URL begins with " + SCHEME);
    }
    String rest = url.substring(SCHEME.length());
    int question = rest.indexOf('?');
    Map<String, String> parameters =
        question < 0 ? Map.of() : parameters(rest.substring(question + 1));
    rest = question < 0 ? rest : rest.substring(0, question);
    int at = rest.lastIndexOf('@');
    String secret = at < 0 ? "" : rest.substring(0, at);
    rest = rest.substring(at + 1);
    int slash = rest.indexOf('/');
    String root = slash < 0 ? "" : rest.substring(slash).replaceAll("/+$", "");
    List<String> hosts = hosts(slash < 0 ? rest : rest.substring(0, slash));
    int colon = secret.indexOf(':');
    if (at >= 0 && colon <= 0) {
      throw new IllegalArgumentException("a user and a password are written USER:PASSWORD@HOST");
    }
    if (at >= 0
        && (parameters.containsKey("user")
            || parameters.containsKey("passwordFile")
            || parameters.containsKey("passwordEnv"))) {
      throw new IllegalArgumentException(
          "the user or the password is given twice, before the @ and as a parameter");
    }
    @Nullable String user = colon > 0 ? decode(secret.substring(0, colon)) : parameters.get("user");
    @Nullable String password =
        colon > 0 ? decode(secret.substring(colon + 1)) : fetched("password", parameters);
    if ((user == null) != (password == null)) {
      throw new IllegalArgumentException(
          user == null
              ? "a password needs a user: add user="
              : "a user needs a password: write USER:PASSWORD@HOST, or add passwordFile= or"
                  + " passwordEnv=");
    }
    return new ZooKeeperUrl(user, password, hosts, root, parameters);
  }

  private static List<String> hosts(String text) {
    List<String> hosts = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      int colon = each.indexOf(':', each.lastIndexOf(']') + 1);
      String port = colon < 0 ? "" + PORT : each.substring(colon + 1);
      String name = colon < 0 ? each : each.substring(0, colon);
      if (name.isEmpty()) {
        throw new IllegalArgumentException("a host is missing");
      }
      if (!port.matches("[0-9]{1,5}")
          || Integer.parseInt(port) == 0
          || Integer.parseInt(port) > 65_535) {
        throw new IllegalArgumentException("a port is \"" + port + "\"; allowed is 1 to 65535");
      }
      hosts.add(name + ":" + port);
    }
    return hosts;
  }

  private static Map<String, String> parameters(String text) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String each : text.split("&", -1)) {
      int equals = each.indexOf('=');
      String key = equals < 0 ? each : each.substring(0, equals);
      if (!KNOWN.contains(key)) {
        throw new IllegalArgumentException(
            text.indexOf('@') < 0
                ? KnownWords.unknown("parameter", key, KNOWN)
                : "unknown parameter, or a ? in a password, which is written as %3F; known are "
                    + KnownWords.list(KNOWN));
      }
      if (equals < 0 || equals == each.length() - 1) {
        throw new IllegalArgumentException("parameter " + key + " has no value");
      }
      if (parameters.put(key, decode(each.substring(equals + 1))) != null) {
        throw new IllegalArgumentException(key + " is given twice");
      }
    }
    if (parameters.containsKey("passwordFile") && parameters.containsKey("passwordEnv")) {
      throw new IllegalArgumentException("one of passwordFile and passwordEnv is enough");
    }
    for (String store : List.of("trustStore", "keyStore")) {
      if (parameters.containsKey(store + "PasswordFile") && !parameters.containsKey(store)) {
        throw new IllegalArgumentException(
            store + "PasswordFile is for a " + store + ", which is missing");
      }
    }
    return parameters;
  }

  private static @Nullable String fetched(String what, Map<String, String> parameters) {
    String file = parameters.get(what + "File");
    String variable = parameters.get(what + "Env");
    if (file != null) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException e) {
        throw new IllegalArgumentException(what + "File=" + file + " cannot be read", e);
      }
    }
    if (variable != null) {
      String value = System.getenv(variable);
      if (value == null) {
        throw new IllegalArgumentException(
            what + "Env=" + variable + ": there is no such environment variable");
      }
      return value;
    }
    return null;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("a % in the URL is not followed by two digits");
    }
  }

  /** Returns the options, where the URL says nothing else. */
  ZooKeeperOptions options(ZooKeeperOptions others) {
    ZooKeeperOptions options = root.isEmpty() ? others : others.withRoot(root);
    String strategy = parameters.get("strategy");
    if (strategy != null) {
      options = options.withStrategy(ZooKeeperStrategy.parse(strategy));
    }
    return options
        .withSessionTimeout(duration("sessionTimeout", options.sessionTimeout()))
        .withRetention(duration("retention", options.retention()));
  }

  private Duration duration(String parameter, Duration otherwise) {
    String text = parameters.get(parameter);
    try {
      return text == null ? otherwise : DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(parameter + ": " + e.getMessage(), e);
    }
  }

  /** Returns who may do what with the nodes. */
  List<ACL> acl(ZooKeeperOptions options) {
    boolean creatorOnly = user != null || options.creatorOnly();
    String acl = parameters.getOrDefault("acl", creatorOnly ? "creator" : "open");
    return switch (acl) {
      case "open" -> ZooDefs.Ids.OPEN_ACL_UNSAFE;
      case "creator" -> ZooDefs.Ids.CREATOR_ALL_ACL;
      default ->
          throw new IllegalArgumentException(
              "acl is \"" + acl + "\"; allowed is open (everybody) and creator (this user)");
    };
  }

  /** Returns a connection that is yet to be opened. */
  Link link(ZooKeeperOptions options) {
    return new Link(
        client(options), true, toString(), (int) options.sessionTimeout().toMillis(), acl(options));
  }

  private CuratorFramework client(ZooKeeperOptions options) {
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .connectString(connectString())
            .sessionTimeoutMs((int) options.sessionTimeout().toMillis())
            .connectionTimeoutMs(CONNECTION_MILLIS)
            .retryPolicy(new RetryOneTime(100))
            // What the servers call themselves is for each other: it may be in no DNS of this host,
            // behind mapped ports, or the port without TLS. Curator would go there from the first
            // disconnection on, and nowhere else.
            .ensembleTracker(false)
            .zkClientConfig(config());
    if (user != null && password != null) {
      builder.authorization("digest", (user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }
    return builder.build();
  }

  /**
   * Returns where to connect to. ZooKeeper's client waits for the answer of a server that took its
   * connection for the session's timeout, divided by the number of addresses: with one or two of
   * them for longer than a session is trusted. So these are named several times.
   */
  String connectString() {
    int times = Math.max(1, ENOUGH_ADDRESSES / hosts.size());
    return String.join(",", Collections.nCopies(times, String.join(",", hosts)));
  }

  private ZKClientConfig config() {
    ZKClientConfig config = new ZKClientConfig();
    if (config.getProperty(ZKConfig.JUTE_MAXBUFFER) == null) {
      config.setProperty(ZKConfig.JUTE_MAXBUFFER, "" + LONGEST_ANSWER);
    }
    if (isTls()) {
      config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
      config.setProperty(
          ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
          "org.apache.zookeeper.ClientCnxnSocketNetty");
      keys(config, "trustStore");
      keys(config, "keyStore");
    }
    return config;
  }

  private boolean isTls() {
    String tls = parameters.getOrDefault("tls", "false");
    if (!tls.equals("true") && !tls.equals("false")) {
      throw new IllegalArgumentException("tls is \"" + tls + "\"; allowed is true and false");
    }
    if (tls.equals("false")
        && (parameters.containsKey("trustStore") || parameters.containsKey("keyStore"))) {
      throw new IllegalArgumentException("trustStore and keyStore are for tls=true");
    }
    return tls.equals("true");
  }

  private void keys(ZKClientConfig config, String which) {
    String store = parameters.get(which);
    if (store == null) {
      return;
    }
    if (!Files.isReadable(Path.of(store))) {
      throw new IllegalArgumentException(which + "=" + store + " cannot be read");
    }
    config.setProperty("zookeeper.ssl." + which + ".location", store);
    String secret = fetched(which + "Password", parameters);
    if (secret != null) {
      config.setProperty("zookeeper.ssl." + which + ".password", secret);
    }
  }

  /** Returns what people call it; no secret. */
  @Override
  public String toString() {
    return SCHEME + String.join(",", hosts) + root;
  }
}
