package dev.pawl.spring.boot;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of a node for people, of the application's name. */
final class NodeLabel {

  /** What a node bears. */
  private static final int MOST_CHARS = 100;

  /** What is left of the name of an application at least. */
  private static final int FEW_CHARS = 30;

  private NodeLabel() {}

  static String of(String application) {
    return of(application, host(), ProcessHandle.current().pid());
  }

  /** Of names that are too long for a label their beginnings: nobody has chosen this one. */
  static String of(String application, String host, long pid) {
    String end = ":" + pid;
    int most = MOST_CHARS - 1 - end.length();
    String place = beginning(host, most - Math.min(application.length(), FEW_CHARS)) + end;
    return beginning(application, MOST_CHARS - 1 - place.length()) + "@" + place;
  }

  private static String beginning(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 2)) ? most - 2 : most - 1;
    return text.substring(0, end) + "…";
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
