package dev.pawl.zookeeper.session;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Why no server answers, found out by a bare connection to each: ZooKeeper's client goes on trying,
 * and does not say.
 *
 * @param hopeless whether nothing listens at any of the addresses, so that waiting is in vain
 * @param reason what is wrong, and what to do
 */
record Reachability(boolean hopeless, String reason) {

  private static final int CONNECT_MILLIS = 1_000;

  private enum Kind {
    REFUSED(": connection refused, nothing listens there; start ZooKeeper, or check host and port"),
    UNKNOWN(": the host is unknown; check its name, or the DNS"),
    SILENT(": no way to that host and port; check both, and the firewall"),
    ACCEPTED(
        ": it takes connections, and no session; is it ZooKeeper's client port, has it a quorum,"
            + " is TLS on at one end alone (tls=true in the URL)?");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  /** Tries the servers of {@code zk://HOST:PORT,…/ROOT}. */
  static Reachability of(String where) {
    String hosts = where.replaceFirst("^zk://", "").replaceFirst("/.*$", "");
    List<String> reasons = new ArrayList<>();
    boolean hopeless = true;
    for (String host : hosts.split(",", -1)) {
      Kind kind = tried(host);
      hopeless &= kind == Kind.REFUSED || kind == Kind.UNKNOWN;
      reasons.add(host + kind.text);
    }
    return new Reachability(hopeless, String.join("; ", reasons));
  }

  private static Kind tried(String host) {
    int colon = host.lastIndexOf(':');
    if (colon < 0) {
      return Kind.SILENT;
    }
    String name = host.substring(0, colon).replaceAll("[\\[\\]]", "");
    InetSocketAddress address =
        new InetSocketAddress(name, Integer.parseInt(host.substring(colon + 1)));
    if (address.isUnresolved()) {
      return Kind.UNKNOWN;
    }
    try (Socket socket = new Socket()) {
      socket.connect(address, CONNECT_MILLIS);
      return Kind.ACCEPTED;
    } catch (ConnectException e) {
      return Kind.REFUSED;
    } catch (IOException e) {
      return Kind.SILENT;
    }
  }
}
