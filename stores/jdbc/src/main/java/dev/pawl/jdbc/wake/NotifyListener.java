package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Notify;
import dev.pawl.jdbc.dialect.Notify.Notification;
import dev.pawl.jdbc.wake.Signals.Message;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups by the notifications of a database: sent with the statement that grants a name, to the
 * channel of the node that waits. The store listens on one connection for all its nodes, while one
 * of them waits and a little longer.
 */
public final class NotifyListener implements Signals.Wakeups {

  private static final Logger LOG = LoggerFactory.getLogger(NotifyListener.class);

  /** How long to go on listening after the last waiter: most will wait again. */
  private static final long LINGER_NANOS = 10_000_000_000L;

  /** How soon a node that has begun to wait is heard, if the connection is there already. */
  private static final int LOOK_MILLIS = 50;

  private static final long RETRY_NANOS = 500_000_000;

  /** How long nothing is heard before one looks whether the connection is still there. */
  private static final long QUIET_NANOS = 3_000_000_000L;

  private static final int ALIVE_SECONDS = 2;

  private final Notify notify;
  private final Signals signals;
  private final Connections connections;
  private final WaiterCheck check;
  private final Channels channels;
  private final ThreadFactory threads;
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile boolean closed;
  private volatile long lastNeededNanos;

  /** Returns a listener for the table of lease records of that name. */
  public NotifyListener(
      Notify notify, Signals signals, Connections connections, WaiterCheck check, String table) {
    this(notify, signals, connections, check, table, NotifyListener::thread);
  }

  NotifyListener(
      Notify notify,
      Signals signals,
      Connections connections,
      WaiterCheck check,
      String table,
      ThreadFactory threads) {
    this.threads = threads;
    this.notify = notify;
    this.signals = signals;
    this.connections = connections;
    this.check = check;
    this.channels = new Channels(table);
  }

  @Override
  public void onWaiting() {
    if (!running.get() && !closed && running.compareAndSet(false, true)) {
      try {
        threads.newThread(this::run).start();
      } catch (OutOfMemoryError e) { // No thread can be made; the next one who waits tries again.
        running.set(false);
        LOG.warn("cannot listen for those who wait: {}", e.getMessage());
      }
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "pawl-jdbc-listen");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public List<Notification> notifications(List<Message> messages) {
    return messages.stream()
        .map(
            message ->
                new Notification(channels.of(message.node()), Payload.write(message.signal())))
        .toList();
  }

  private void run() {
    lastNeededNanos = System.nanoTime();
    boolean told = false;
    try {
      while (isNeeded()) {
        try (Connection connection = connections.dedicated()) {
          Connections.inAutoCommit(connection, this::listen);
        } catch (SQLException | RuntimeException | Error e) {
          // I8: a timer of the node stands behind each waiter. A DataSource of the caller's may
          // throw anything, such as one that knows its target by the thread.
          if (e instanceof Error && !told) {
            LOG.warn("cannot listen for those who wait; each asks by itself from time to time", e);
            told = true;
          } else {
            LOG.debug("cannot listen", e);
          }
          LockSupport.parkNanos(RETRY_NANOS);
        }
      }
    } finally {
      running.set(false);
      if (signals.isAnybodyWaiting()) {
        onWaiting(); // One more came between the two.
      }
    }
  }

  private boolean isNeeded() {
    long now = System.nanoTime();
    if (signals.isAnybodyWaiting()) {
      lastNeededNanos = now;
    }
    return !closed && now - lastNeededNanos < LINGER_NANOS;
  }

  /** Listens for as long as somebody waits; returns how many channels that were. */
  private int listen(Connection connection) throws SQLException {
    Map<String, String> nodes = new HashMap<>();
    try {
      listen(connection, nodes);
    } finally {
      unlisten(connection, nodes.keySet());
    }
    return nodes.size();
  }

  private void listen(Connection connection, Map<String, String> nodes) throws SQLException {
    Set<ClaimId> told = new HashSet<>(); // By a look, to whom a notification may be on its way.
    long aliveNanos = System.nanoTime();
    while (isNeeded()) {
      boolean begun = false;
      for (String node : new HashSet<>(signals.nodes())) {
        String channel = channels.of(node);
        if (nodes.put(channel, node) == null) {
          notify.listen(connection, channel);
          begun = true;
        }
      }
      if (begun) {
        told.addAll(check.look()); // What was said before it listened.
      }
      List<Notification> arrived = notify.await(connection, LOOK_MILLIS);
      long now = System.nanoTime();
      if (arrived.isEmpty()) {
        told.clear();
        if (now - aliveNanos > QUIET_NANOS) {
          checkAlive(connection);
          aliveNanos = now;
        }
      } else {
        aliveNanos = now;
      }
      for (Notification each : arrived) {
        String node = nodes.get(each.channel());
        Signal signal = Payload.read(each.payload());
        if (node != null && !isOf(told, signal)) {
          signals.deliver(node, signal);
        }
      }
    }
  }

  /** Nothing is ever sent on a connection that only listens, so that nobody notices its loss. */
  private static void checkAlive(Connection connection) throws SQLException {
    if (!connection.isValid(ALIVE_SECONDS)) {
      throw new SQLException("the connection that listens no longer answers", "08006");
    }
  }

  /** Leaves nothing behind on a connection that goes back to a pool. */
  private void unlisten(Connection connection, Set<String> begun) {
    try {
      for (String channel : begun) {
        notify.unlisten(connection, channel);
      }
    } catch (SQLException e) {
      LOG.debug("cannot end listening: {}", e.getMessage());
    }
  }

  private static boolean isOf(Set<ClaimId> told, Signal signal) {
    return signal instanceof Signal.Granted granted && told.remove(granted.grant().claim());
  }

  @Override
  public void close() {
    closed = true;
  }
}
