package dev.pawl.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy on the loopback interface that harms what passes through it when told to. It stands
 * between a store and a real server, where {@link UnreliableStore} stands between a node and a
 * store.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to("localhost", server.port())) {
 *   connect("localhost", proxy.port());
 *   proxy.dropReplies();
 *   …
 *   proxy.heal();
 * }
 * }</pre>
 */
public final class FaultProxy implements AutoCloseable {

  private enum Fault {
    NONE,
    STALL,
    DROP_REPLIES,
    CUT
  }

  private static final int CONNECT_MILLIS = 5_000;
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final String name = "fault-proxy-" + NUMBERS.incrementAndGet();
  private final InetSocketAddress target;
  private final ServerSocket server;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** Both guarded by the lock. */
  private Fault fault = Fault.NONE;

  private long delayNanos;
  private volatile boolean closed;

  private FaultProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("accept", this::acceptAll);
  }

  /** Opens a proxy on a free port that passes everything on to a server, unharmed at first. */
  public static FaultProxy to(String host, int port) {
    try {
      return new FaultProxy(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the port to connect to, on the loopback interface. */
  public int port() {
    return server.getLocalPort();
  }

  /** Returns how many connections are open. */
  public int connections() {
    return links.size();
  }

  /** Holds up every piece, in both directions, for that long. */
  public void delay(Duration delay) {
    change(fault(), delay.toNanos());
  }

  /** Passes nothing on, in either direction, and loses nothing: it comes when healed. */
  public void stall() {
    change(Fault.STALL, delayNanos());
  }

  /** Passes on what clients send, and swallows what the server answers. */
  public void dropReplies() {
    change(Fault.DROP_REPLIES, delayNanos());
  }

  /** Closes every connection, and every new one at once. */
  public void cut() {
    change(Fault.CUT, delayNanos());
    links.forEach(Link::close);
  }

  /**
   * Ends every fault. Connections of which something was swallowed are closed: no client could make
   * sense of what comes after the hole.
   */
  public void heal() {
    change(Fault.NONE, 0);
    links.stream().filter(link -> link.hasHole).forEach(Link::close);
  }

  /** Closes every connection and ends every thread of the proxy. */
  @Override
  public void close() {
    closed = true;
    cut();
    closeQuietly(server);
  }

  private Fault fault() {
    lock.lock();
    try {
      return fault;
    } finally {
      lock.unlock();
    }
  }

  private long delayNanos() {
    lock.lock();
    try {
      return delayNanos;
    } finally {
      lock.unlock();
    }
  }

  private void change(Fault newFault, long newDelayNanos) {
    lock.lock();
    try {
      fault = newFault;
      delayNanos = newDelayNanos;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void acceptAll() {
    while (!closed) {
      try {
        Socket client = server.accept();
        if (fault() == Fault.CUT) {
          closeQuietly(client);
        } else {
          connect(client);
        }
      } catch (IOException e) {
        // The proxy was closed, or a client went away before it was served.
      }
    }
  }

  private void connect(Socket client) {
    Socket upstream = new Socket();
    try {
      upstream.connect(target, CONNECT_MILLIS);
      client.setTcpNoDelay(true);
      upstream.setTcpNoDelay(true);
      Link link = new Link(client, upstream);
      links.add(link);
      start("requests", () -> link.pump(client, upstream, false));
      start("replies", () -> link.pump(upstream, client, true));
      if (fault() == Fault.CUT) {
        link.close(); // It came while the others were being closed.
      }
    } catch (IOException e) {
      closeQuietly(client);
      closeQuietly(upstream);
    }
  }

  private void start(String what, Runnable action) {
    Thread thread = new Thread(action, name + "-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      // Nothing is left to be done for it.
    }
  }

  /** One client's connection, in both directions. */
  private final class Link {
    private final Socket client;
    private final Socket upstream;
    private volatile boolean hasHole;
    private volatile boolean ended;

    Link(Socket client, Socket upstream) {
      this.client = client;
      this.upstream = upstream;
    }

    void pump(Socket from, Socket to, boolean replies) {
      byte[] piece = new byte[8_192];
      try {
        for (int n = from.getInputStream().read(piece);
            n >= 0;
            n = from.getInputStream().read(piece)) {
          if (admits(replies)) {
            to.getOutputStream().write(piece, 0, n);
          } else {
            hasHole = true;
          }
        }
      } catch (IOException | InterruptedException e) {
        // One side has gone; the other one is closed below.
      }
      close();
    }

    /** Waits for as long as the piece is to be held up; false if it is to be swallowed. */
    private boolean admits(boolean replies) throws InterruptedException {
      lock.lock();
      try {
        long arrived = System.nanoTime();
        while (!ended && (fault == Fault.STALL || left(arrived) > 0)) {
          if (fault == Fault.STALL) {
            changed.await();
          } else {
            changed.awaitNanos(left(arrived));
          }
        }
        return !ended && fault != Fault.CUT && !(replies && fault == Fault.DROP_REPLIES);
      } finally {
        lock.unlock();
      }
    }

    private long left(long arrived) {
      return delayNanos - (System.nanoTime() - arrived);
    }

    void close() {
      links.remove(this);
      closeQuietly(client);
      closeQuietly(upstream);
      lock.lock();
      try {
        ended = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
