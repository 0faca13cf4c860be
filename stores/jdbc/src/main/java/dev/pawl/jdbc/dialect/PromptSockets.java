package dev.pawl.jdbc.dialect;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * The sockets of PostgreSQL's driver, which makes them itself, by the name of this class. After a
 * notification the driver reads once more with a timeout of a millisecond, to see whether another
 * follows, before it hands the first one out. On these sockets such a read finds what has arrived,
 * and does not wait: a waiter that was granted its lock would wait too.
 */
public final class PromptSockets extends SocketFactory {

  private static final int A_LOOK_MILLIS = 1;

  /** Called by the driver. */
  public PromptSockets() {}

  @Override
  public Socket createSocket() {
    return new PromptSocket();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw connected();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    throw connected();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    throw connected();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    throw connected();
  }

  private static IOException connected() {
    return new IOException("these sockets are connected by whoever asked for them");
  }

  private static final class PromptSocket extends Socket {

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          if (getSoTimeout() == A_LOOK_MILLIS && in.available() == 0) {
            throw new SocketTimeoutException("nothing has arrived");
          }
          return in.read(bytes, offset, length);
        }
      };
    }
  }
}
