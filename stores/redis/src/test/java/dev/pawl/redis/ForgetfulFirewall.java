package dev.pawl.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy that passes on what comes, until it forgets its connections: then it swallows it, and
 * says nothing. New ones go through, to wherever it leads by then.
 */
final class ForgetfulFirewall implements AutoCloseable {
  private final ServerSocket listening;
  private volatile int target;
  private final Set<Socket> known = ConcurrentHashMap.newKeySet();
  private final Set<Socket> all = ConcurrentHashMap.newKeySet();

  ForgetfulFirewall(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Has new connections lead elsewhere; those that are open stay as they are. */
  void leadTo(int port) {
    target = port;
  }

  /** Forgets all connections. */
  void forget() {
    known.clear();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "forgetful-firewall");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        all.add(client);
        all.add(server);
        known.add(client);
        start(() -> pass(client, server, client));
        start(() -> pass(server, client, client));
      }
    } catch (IOException e) {
      // It is closed.
    }
  }

  private void pass(Socket from, Socket to, Socket connection) {
    byte[] piece = new byte[8192];
    try (from) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        if (known.contains(connection)) {
          out.write(piece, 0, n);
        }
      }
      if (known.contains(connection)) {
        to.close();
      }
    } catch (IOException e) {
      // One of the two has closed it.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : all) {
      socket.close();
    }
  }
}
