package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.port.RedisErrors;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

  /** Whether the end was asked for on the wire, which is done once. */
  private boolean left;

  private volatile boolean closed;
  private volatile boolean ended;

  private JedisReader(String where, Wire wire, MessageLink.Listener listener) {
    this.where = where;
    this.wire = wire;
    this.listener = listener;
  }

  /** What Jedis has two kinds of: one for channels, and one for shard channels. */
  interface Wire {

    /** Connects, subscribes to a channel, and hands on what is heard until it ends. */
    void read(String first, JedisReader reader);

    void subscribe(String channel);

    void unsubscribe(String channel);

    /** Ends the reading, as far as Jedis has a way to; false if it had none yet. */
    boolean disconnect();
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
      wire.read(first, this);
    } catch (JedisException e) {
      end = JedisErrors.typed(where, e, true);
    } catch (RuntimeException e) {
      LOG.warn("messages of {} end: {}", where, e.toString());
    } finally {
      ended = true;
      RuntimeException failure = end;
      boolean wasOpen = !opened.completeExceptionally(failure);
      asked.values().forEach(each -> each.completeExceptionally(failure));
      if (wasOpen) {
        listener.onClosed();
      }
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
    if (ended || !written) {
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
      if (!ended && !left) {
        left = wire.disconnect();
      }
    } catch (JedisException e) {
      LOG.debug("close {}: {}", where, e.toString());
    } finally {
      writing.unlock();
    }
  }

  /**
   * Writes, unless it is closed: what is written after the end is answered when the connection is
   * somebody else's.
   */
  private boolean write(Runnable command) {
    writing.lock();
    try {
      if (closed) {
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

  /** One that was silent when it was closed ends at the first thing that it hears. */
  private boolean isEnding() {
    if (closed) {
      close();
    }
    return closed;
  }
}
