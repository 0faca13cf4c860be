package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The start of a server, tried again where the program ended at once: a port that was found free
 * may be somebody else's by the time the server wants it, and so may those it derives from it.
 */
final class ServerStart {

  private static final int PORTS = 5;
  private static final int REPETITIONS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The bus of a Redis cluster is 10,000 further on, and below those of connections as well. */
  private static final int FIRST_PORT = 11_000;

  private static final int MOST_PORTS = 10_000;

  /** Each process takes the ports in an order of its own, and none twice before it had them all. */
  private static final AtomicInteger NEXT_PORT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(MOST_PORTS));

  /** No factor of it is one of the number of ports. */
  private static final int STEP = 10 * ThreadLocalRandom.current().nextInt(MOST_PORTS / 10) + 3;

  private ServerStart() {}

  /** Says that the program did not run, or ended before it was of any use. */
  static final class FailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    FailedException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** Starts a server on a port that is free, or on another one. */
  static <T> T onFreePort(IntFunction<T> server) {
    for (int attempt = 1; ; attempt++) {
      try {
        return server.apply(freePort());
      } catch (FailedException e) {
        if (attempt == PORTS) {
          throw e;
        }
      }
    }
  }

  /** Starts a server again where it was: a process it left behind may still be on its way out. */
  static <T> T onItsPort(Supplier<T> server) {
    for (int attempt = 1; ; attempt++) {
      try {
        return server.get();
      } catch (FailedException e) {
        if (attempt == REPETITIONS) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Returns a port on the loopback interface that nobody listens on. It is none of those that the
   * system gives to connections: while a server is down, one of them could take its port, and keep
   * it for a minute after its own end.
   */
  static int freePort() {
    for (int attempt = 0; attempt < MOST_PORTS; attempt++) {
      int port = FIRST_PORT + Math.floorMod(NEXT_PORT.getAndAdd(STEP), MOST_PORTS);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException e) {
        // Somebody else's; the next one may be free.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException("no port is free from " + FIRST_PORT + " on");
  }
}
