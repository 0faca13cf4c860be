package dev.pawl.spring.boot;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of a node for people, of the application's name. */
final class NodeLabel {

  private NodeLabel() {}

  static String of(String application) {
    return application + "@" + host() + ":" + ProcessHandle.current().pid();
  }

  private static String host() {
    String named = System.getenv("HOSTNAME");
    if (named != null && !named.isBlank()) {
      return named;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
