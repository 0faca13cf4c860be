package dev.pawl.console.server;

import dev.pawl.console.ConsoleServlet;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The console on a server of its own. */
public final class ConsoleServer implements AutoCloseable {

  private static final int MOST_HEADER_BYTES = 8_192;
  private static final int MOST_THREADS = 64;

  /** A client that neither sends nor reads for so long has gone. Open pages hear more often. */
  private static final long IDLE_MILLIS = 30_000;

  /** A request that is not whole after twice as long does not get so. */
  private static final Duration SLOW = Duration.ofSeconds(15);

  private final Server server;
  private final ServerConnector connector;
  private final boolean tls;

  private ConsoleServer(Server server, ServerConnector connector, boolean tls) {
    this.server = server;
    this.connector = connector;
    this.tls = tls;
  }

  /**
   * Starts it.
   *
   * @param port 0 for one that is free
   * @throws IOException if the address cannot be had
   * @throws IllegalArgumentException if the key store cannot serve; the message says why
   */
  public static ConsoleServer start(
      ConsoleServlet servlet, InetAddress address, int port, Optional<TlsKeys> tls)
      throws IOException {
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, 4);
    threads.setName("pawl-console");
    threads.setDaemon(true);
    Server server = new Server(threads);
    ServerConnector connector = connector(server, tls);
    connector.setHost(address.getHostAddress());
    connector.setPort(port);
    connector.setIdleTimeout(IDLE_MILLIS);
    connector.addBean(new SlowRequests(connector.getScheduler(), SLOW));
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/*");
    // A name in the path may have anything in it; the console decodes it by itself.
    context.getServletHandler().setDecodeAmbiguousURIs(true);
    server.setHandler(context);
    server.setErrorHandler(new PlainErrors());
    context.setErrorHandler(new PlainErrors());
    try {
      server.start();
    } catch (Exception e) {
      stop(server);
      throw e instanceof IOException failure ? failure : new IOException(e.getMessage(), e);
    }
    return new ConsoleServer(server, connector, tls.isPresent());
  }

  private static ServerConnector connector(Server server, Optional<TlsKeys> tls) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendXPoweredBy(false);
    http.setRequestHeaderSize(MOST_HEADER_BYTES);
    http.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "pawl",
            UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
            UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    if (tls.isEmpty()) {
      return new ServerConnector(server, new HttpConnectionFactory(http));
    }
    // The Host header is checked by the console; a certificate may be for another name.
    http.addCustomizer(new SecureRequestCustomizer(false));
    SslContextFactory.Server ssl = new SslContextFactory.Server();
    ssl.setKeyStore(tls.get().read());
    ssl.setKeyStorePassword(tls.get().password());
    return new ServerConnector(
        server, new SslConnectionFactory(ssl, "http/1.1"), new HttpConnectionFactory(http));
  }

  /** Returns the address to open, with a slash at its end. */
  public String url() {
    return url(connector.getHost());
  }

  /** Returns the address to open by another name of this host. */
  public String url(String host) {
    String shown = host.contains(":") ? "[" + host + "]" : host;
    return (tls ? "https" : "http") + "://" + shown + ":" + connector.getLocalPort() + "/";
  }

  /** Waits until it is closed. */
  public void join() throws InterruptedException {
    server.join();
  }

  /** Stops it, and what it shows. */
  @Override
  public void close() {
    stop(server);
  }

  private static void stop(Server server) {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the server does not stop", e);
    }
  }

  /** What is refused before it gets to the console: in the form of the API, and without traces. */
  private static final class PlainErrors extends ErrorHandler {

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      int found = response.getStatus();
      // What the request asks for and nobody has, such as a version, is the request's fault.
      int status = found < 400 || found == 501 || found == 505 ? 400 : found;
      String body =
          "{\"error\":{\"code\":\"malformed\",\"message\":\"the request is refused: status "
              + status
              + "\"}}";
      response.setStatus(status);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json;charset=UTF-8");
      response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
      response.write(true, ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)), callback);
      return true;
    }

    @Override
    public boolean errorPageForMethod(String method) {
      return true;
    }
  }
}
