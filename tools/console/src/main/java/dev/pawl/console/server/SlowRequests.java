package dev.pawl.console.server;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Ends connections on which bytes come and no request gets whole: whoever sends a byte now and then
 * is never idle. One that only listens, as an open page does, sends nothing and stays.
 */
final class SlowRequests extends AbstractLifeCycle implements Connection.Listener {

  private final Scheduler timer;
  private final Duration patience;
  private final Map<Connection, Seen> open = new ConcurrentHashMap<>();

  /**
   * What a connection had got when it was looked at last.
   *
   * @param looks how often in a row there were more bytes, and no other request
   */
  private record Seen(long requests, long bytes, int looks) {}

  SlowRequests(Scheduler timer, Duration patience) {
    this.timer = timer;
    this.patience = patience;
  }

  @Override
  protected void doStart() {
    later();
  }

  private void later() {
    timer.schedule(this::look, patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look() {
    open.replaceAll(
        (connection, before) -> {
          long requests = connection.getMessagesIn();
          long bytes = connection.getBytesIn();
          boolean slow = requests == before.requests() && bytes > before.bytes();
          // The first look may have come just as a request did.
          if (slow && before.looks() > 0) {
            connection.getEndPoint().close();
          }
          return new Seen(requests, bytes, slow ? before.looks() + 1 : 0);
        });
    if (isRunning()) {
      later();
    }
  }

  @Override
  public void onOpened(Connection connection) {
    if (!(connection instanceof SslConnection)) { // What it carries is a connection of its own.
      open.put(connection, new Seen(0, 0, 0));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    open.remove(connection);
  }
}
