package dev.pawl.zookeeper.session;

import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection: Curator keeps it, and makes a new session when the old one has ended. Requests go
 * to ZooKeeper's own client, since Curator would repeat those that were not answered by itself.
 */
public final class Link implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Link.class);

  /** After how long without a connection the servers are tried. */
  private static final int LOOK_MILLIS = 700;

  /** How often nothing may listen anywhere; a server that is being restarted is back soon. */
  private static final int MOST_HOPELESS = 3;

  /** Who wants to know of sessions. */
  public interface Listener {
    /** A session has ended, with every node it made. */
    void onEnded(Session session);

    /** There is a connection again, in a session that is new or the same. */
    void onConnected(Session session);
  }

  private final CuratorFramework client;
  private final boolean owned;
  private final String where;
  private final int wantedMillis;
  private final List<ACL> acl;
  private final ServerClock clock = new ServerClock(System::nanoTime);
  private final ReentrantLock lock = new ReentrantLock();
  private final ConnectionStateListener states = (from, state) -> onState(state);
  private final CuratorListener events = (from, event) -> onEvent(event);
  private volatile @Nullable Listener listener;
  private volatile @Nullable Session session;
  private volatile boolean connected;

  /** The timeout that the log was last told of. */
  private volatile int toldMillis;

  /** Whether it is only there for what is given up. */
  private volatile boolean leaving;

  private volatile boolean closed;

  /**
   * Makes one.
   *
   * @param owned whether the client was made for it, and is closed with it
   * @param where what people call the servers
   */
  public Link(
      CuratorFramework client, boolean owned, String where, int wantedMillis, List<ACL> acl) {
    this.client = client;
    this.owned = owned;
    this.where = where;
    this.wantedMillis = wantedMillis;
    this.acl = acl;
  }

  /**
   * Connects.
   *
   * @throws StoreUnavailableException if no server answers in time
   */
  public void open(Listener newListener, long patienceMillis) {
    listener = newListener;
    client.getConnectionStateListenable().addListener(states);
    client.getCuratorListenable().addListener(events);
    try {
      if (owned) {
        client.start();
      }
      awaitConnection(patienceMillis);
      refresh();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw new StoreUnavailableException("interrupted while connecting to " + where, e);
    }
  }

  private void awaitConnection(long patienceMillis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    for (int hopeless = 0; !client.blockUntilConnected(LOOK_MILLIS, TimeUnit.MILLISECONDS); ) {
      Reachability now = Reachability.of(where);
      hopeless = now.hopeless() ? hopeless + 1 : 0;
      if (hopeless == MOST_HOPELESS || System.nanoTime() - end > 0) {
        close();
        throw new StoreUnavailableException(where + " cannot be reached: " + now.reason(), null);
      }
    }
  }

  private void onEvent(CuratorEvent event) {
    Session now = session;
    if (event.getType() == CuratorEventType.CLOSING) { // By the application: its session ends now.
      expire(now);
    } else if (event.getType() == CuratorEventType.WATCHED
        && event.getWatchedEvent().getState() == Watcher.Event.KeeperState.Expired
        && now != null
        && !now.isAlive()) {
      // One that is alive is the next one: another listener was told before, and took its time.
      expire(now);
    }
  }

  private void onState(ConnectionState state) {
    if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
      refresh();
    } else {
      connected = false;
    }
  }

  /** Takes note of a connection, and of the session it is in. */
  private void refresh() {
    ZooKeeper zk;
    try {
      zk = client.getZookeeperClient().getZooKeeper();
    } catch (Exception e) { // Curator declares no other.
      LOG.debug("no connection to {} after all", where, e);
      return;
    }
    Session before;
    Session now;
    lock.lock();
    try {
      // By whichever thread: a client that is being closed has ended its session, though it is
      // connected still; and of two handles the one that has ended is not the one to go by.
      if (!isStarted() || !zk.getState().isAlive()) {
        return;
      }
      before = session;
      if (before == null || before.isEnded() || before.id() != zk.getSessionId()) {
        Session[] made = new Session[1];
        made[0] = new Session(zk, acl, clock, () -> expire(made[0]));
        session = made[0];
      }
      now = session;
      connected = true;
    } finally {
      lock.unlock();
    }
    if (before != now) {
      if (before != null) {
        expire(before);
      }
      tellTimeout(now);
    }
    Listener known = listener;
    if (known != null && now != null && !closed) {
      known.onConnected(now);
    }
  }

  private void tellTimeout(@Nullable Session now) {
    if (now != null && isToBeTold(now.timeoutMillis())) {
      LOG.warn(
          "{}: a session timeout of {} ms was asked for, and the servers made it {} ms",
          where,
          wantedMillis,
          now.timeoutMillis());
    } else if (now != null) {
      LOG.debug("{}: session 0x{}", where, Long.toHexString(now.id()));
    }
  }

  /** Tells whether a timeout is another than was asked for; once, and not with every session. */
  boolean isToBeTold(int agreedMillis) {
    boolean toBeTold =
        wantedMillis > 0 && agreedMillis != wantedMillis && agreedMillis != toldMillis;
    toldMillis = agreedMillis;
    return toBeTold;
  }

  private void expire(@Nullable Session ended) {
    if (ended == null) {
      return;
    }
    boolean first;
    lock.lock();
    try {
      first = !ended.isEnded();
      ended.end();
      if (session == ended) {
        connected = false;
      }
    } finally {
      lock.unlock();
    }
    Listener known = listener;
    if (first && known != null) {
      known.onEnded(ended);
    }
  }

  /**
   * Returns the session of now.
   *
   * @throws StoreUnavailableException if there is no connection, or no more than what is given up
   *     is to be sent
   */
  public Session session() {
    if (leaving) {
      throw Errors.closed(where);
    }
    return sessionToLeave();
  }

  /**
   * Returns the session of now, for what gives something up.
   *
   * @throws StoreUnavailableException if there is no connection
   */
  public Session sessionToLeave() {
    if (closed) {
      throw Errors.closed(where);
    }
    Session now = session;
    if (!isUsable(now) && isStarted() && isConnected()) {
      refresh(); // Told later: another listener of the application's takes its time.
      now = session;
    }
    if (now == null || !isUsable(now)) {
      throw client.getState() == CuratorFrameworkState.STOPPED
          ? Errors.clientClosed(where)
          : Errors.notConnected(where);
    }
    return now;
  }

  private boolean isUsable(@Nullable Session now) {
    return now != null && connected && !now.isEnded();
  }

  private boolean isStarted() {
    return client.getState() == CuratorFrameworkState.STARTED;
  }

  /** Tells whether there is a connection, to a server of a majority. */
  private boolean isConnected() {
    try {
      return client.getZookeeperClient().isConnected()
          && client.getZookeeperClient().getZooKeeper().getState() == ZooKeeper.States.CONNECTED;
    } catch (Exception e) { // Curator declares no other.
      return false;
    }
  }

  /** Returns the client that keeps the connection. */
  public CuratorFramework client() {
    return client;
  }

  /** Returns the clock of the servers. */
  public ServerClock clock() {
    return clock;
  }

  /** Returns what people call the servers. */
  public String where() {
    return where;
  }

  /** Returns the session timeout that was asked for. */
  public int wantedMillis() {
    return wantedMillis;
  }

  /** Tells whether the client was made for it, so that the session ends with it. */
  public boolean isOwned() {
    return owned;
  }

  /** From now on it only serves to give things up; false if it is closed already. */
  public boolean leave() {
    leaving = true;
    return !closed;
  }

  @Override
  public void close() {
    closed = true;
    connected = false;
    client.getConnectionStateListenable().removeListener(states);
    client.getCuratorListenable().removeListener(events);
    if (owned) {
      try {
        client.close();
      } catch (RuntimeException e) {
        throw new PawlException("the connection to " + where + " could not be closed", e);
      }
    }
  }
}
