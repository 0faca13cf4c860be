package dev.pawl.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands before one member, and knows by their addresses which other members come through. */
final class MemberProxy implements AutoCloseable {

  private static final String CLIENTS = "127.0.0.1";

  private final ServerSocket server;
  private final String address;
  private final int port;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile Set<String> side = Set.of();

  private record Link(String from, Socket in, Socket out) {
    void close() {
      try (in;
          out) {
        in.setSoLinger(true, 0);
        out.setSoLinger(true, 0);
      } catch (IOException e) {
        // It is closed.
      }
    }
  }

  MemberProxy(int publicPort, String address, int port) {
    this.address = address;
    this.port = port;
    try {
      this.server = new ServerSocket();
      server.bind(new InetSocketAddress(address, publicPort));
    } catch (IOException e) {
      throw new ServerStart.FailedException("port " + publicPort + " is taken", e);
    }
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "member-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket in = server.accept();
        Link link = new Link(in.getInetAddress().getHostAddress(), in, new Socket());
        links.add(link);
        forward(link);
      } catch (IOException e) {
        // The proxy is no more.
      }
    }
  }

  private void forward(Link link) {
    try {
      if (isCut(link.from)) {
        end(link);
        return;
      }
      link.out.connect(new InetSocketAddress(address, port), 1_000);
      link.in.setTcpNoDelay(true);
      link.out.setTcpNoDelay(true);
      start(() -> copy(link, link.in, link.out));
      start(() -> copy(link, link.out, link.in));
    } catch (IOException e) {
      end(link); // The member does not listen, and whoever asks for it is to know.
    }
  }

  private boolean isCut(String from) {
    Set<String> now = side;
    return !from.equals(CLIENTS) && now.contains(from) != now.contains(address);
  }

  private void copy(Link link, Socket from, Socket to) {
    byte[] buffer = new byte[8_192];
    try {
      InputStream in = from.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        to.getOutputStream().write(buffer, 0, read);
      }
    } catch (IOException e) {
      // The other direction ends with it.
    }
    end(link);
  }

  private void end(Link link) {
    links.remove(link);
    link.close();
  }

  /** Ends what crosses from these addresses to the others or back, and accepts no more of it. */
  void separate(Set<String> addresses) {
    side = addresses;
    for (Link link : links) {
      if (isCut(link.from)) {
        end(link);
      }
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    links.forEach(this::end);
  }
}
