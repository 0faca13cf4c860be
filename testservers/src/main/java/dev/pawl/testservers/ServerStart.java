package dev.pawl.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
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

  /** Returns a port on the loopback interface that nobody listens on. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
