package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.port.RedisErrors;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/** A connection of Jedis for messages, and the thread that reads it until it ends. */
final class JedisReader implements MessageLink.Connection {

  private static final Logger LOG = LoggerFactory.getLogger(JedisReader.class);

  private final String where;
  private final Wire wire;
  private final MessageLink.Listener listener;
  private final CompletableFuture<MessageLink.Connection> opened = new CompletableFuture<>();
  private final ConcurrentMap<String, CompletableFuture<Void>> asked = new ConcurrentHashMap<>();

  /** Jedis writes from whichever thread asks it to. */
  private final ReentrantLock writing = new ReentrantLock();

  /** The one that is read, until its end. */
  private volatile @Nullable Connection connection;

  private volatile boolean closed;
  private volatile boolean ended;

  private JedisReader(String where, Wire wire, MessageLink.Listener listener) {
    this.where = where;
    this.wire = wire;
    this.listener = listener;
  }

  /** What Jedis has two kinds of: one for channels, and one for shard channels. */
  interface Wire {

    /** Takes a connection to the server of a channel. */
    Connection connect(String channel);

    /** Subscribes to a channel, and hands on what is heard until it ends. */
    void read(Connection connection, String first, JedisReader reader);

    void subscribe(String channel);

    void unsubscribe(String channel);
  }

  /** Opens one, with its first channel. */
  static CompletionStage<MessageLink.Connection> open(
      String where, String thread, Wire wire, String first, MessageLink.Listener listener) {
    JedisReader reader = new JedisReader(where, wire, listener);
    Thread reading = new Thread(() -> reader.run(first), thread + " " + where);
    reading.setDaemon(true);
    reading.start();
    return reader.opened;
  }

  private void run(String first) {
    RuntimeException end = RedisErrors.closed(where);
    try {
      read(first);
    } catch (JedisException e) {
      end = JedisErrors.typed(where, e, true);
    } catch (RuntimeException e) {
      LOG.warn("messages of {} end: {}", where, e.toString());
    } finally {
      end();
      RuntimeException failure = end;
      boolean wasOpen = !opened.completeExceptionally(failure);
      asked.values().forEach(each -> each.completeExceptionally(failure));
      if (wasOpen) {
        listener.onClosed();
      }
    }
  }

  private void read(String first) {
    try (Connection used = wire.connect(first)) {
      try {
        if (begin(used)) {
          wire.read(used, first, this);
        }
      } finally {
        end();
        // Never for anything else: it may be subscribed still, as after an error answer, and what
        // was written last may be answered after it was given back.
        used.setBroken();
      }
    }
  }

  /** Tells whether it is to be read: it may have been closed while it was made. */
  private boolean begin(Connection used) {
    writing.lock();
    try {
      connection = used;
      return !closed;
    } finally {
      writing.unlock();
    }
  }

  /** Nothing more is written, for which Jedis would connect again. */
  private void end() {
    writing.lock();
    try {
      ended = true;
      connection = null;
    } finally {
      writing.unlock();
    }
  }

  @Override
  public CompletionStage<Void> subscribe(String channel) {
    CompletableFuture<Void> answer =
        asked.computeIfAbsent(channel, name -> new CompletableFuture<>());
    boolean written = false;
    try {
      written = write(() -> wire.subscribe(channel));
    } catch (JedisException e) {
      answer.completeExceptionally(JedisErrors.typed(where, e, true));
    }
    if (!written) {
      answer.completeExceptionally(RedisErrors.closed(where));
    }
    return answer;
  }

  @Override
  public void unsubscribe(String channel) {
    try {
      var unused = write(() -> wire.unsubscribe(channel));
    } catch (JedisException e) {
      LOG.debug("unsubscribe from {}: {}", where, e.toString());
    }
  }

  @Override
  public void close() {
    writing.lock();
    try {
      closed = true;
      Connection used = connection;
      if (used != null) {
        used.forceDisconnect();
      }
    } catch (IOException e) {
      LOG.debug("close {}: {}", where, e.toString());
    } finally {
      writing.unlock();
    }
  }

  /** Writes, unless it is at its end: Jedis would connect again for that, and nobody would read. */
  private boolean write(Runnable command) {
    writing.lock();
    try {
      if (closed || ended) {
        return false;
      }
      command.run();
      return true;
    } finally {
      writing.unlock();
    }
  }

  void onSubscribed(String channel) {
    if (isEnding()) {
      return;
    }
    opened.complete(this);
    CompletableFuture<Void> answer = asked.remove(channel);
    if (answer != null) {
      answer.complete(null);
    }
  }

  void onUnsubscribed(String channel) {
    listener.onUnsubscribed(channel);
  }

  void onMessage(String channel, String message) {
    if (!isEnding()) {
      listener.onMessage(channel, message);
    }
  }

  /** One that was closed before it was connected ends at the first thing that it hears. */
  private boolean isEnding() {
    if (closed) {
      close();
    }
    return closed;
  }
}
