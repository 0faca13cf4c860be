package dev.pawl.cli.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** A wire to a server that can hold back what is sent to it; what it answers always passes. */
final class Wire implements AutoCloseable {

  private final ServerSocket entry;
  private final int server;
  private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

  /** Has a permit while requests pass. */
  private final Semaphore open = new Semaphore(1);

  private Wire(ServerSocket entry, int server) {
    this.entry = entry;
    this.server = server;
  }

  static Wire to(int server) throws IOException {
    Wire wire = new Wire(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), server);
    start(wire::accept);
    return wire;
  }

  int port() {
    return entry.getLocalPort();
  }

  /** Nothing that is sent from now on reaches the server. */
  void holdBack() {
    open.acquireUninterruptibly();
  }

  /** All that was held back reaches the server, and so does what follows. */
  void letThrough() {
    open.release();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = entry.accept();
        Socket behind = new Socket(entry.getInetAddress(), server);
        sockets.add(client);
        sockets.add(behind);
        start(() -> pass(client, behind, true));
        start(() -> pass(behind, client, false));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void pass(Socket from, Socket to, boolean isRequest) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] part = new byte[8192];
      for (int read = in.read(part); read >= 0; read = in.read(part)) {
        if (isRequest) {
          open.acquireUninterruptibly();
        }
        try {
          out.write(part, 0, read);
        } finally {
          if (isRequest) {
            open.release();
          }
        }
      }
    } catch (IOException e) {
      // One of the two is gone, and so is the other.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "wire");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      entry.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
