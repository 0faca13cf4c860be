package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.Heartbeat;
import dev.pawl.redis.port.RedisErrors;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The one connection on which a store hears messages, and the thread that reads it.
 *
 * <p>Jedis does not let go of a connection that is read. One that is silent is therefore left to
 * its thread, and another thread reads another one. The first ends when its connection does, or at
 * the first thing that it hears.
 */
final class JedisMessages {

  private static final Logger LOG = LoggerFactory.getLogger(JedisMessages.class);
  private static final Duration CONFIRMATION = Duration.ofSeconds(5);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final UnifiedJedis client;
  private final String where;
  private final ConcurrentMap<String, Channel> channels = new ConcurrentHashMap<>();
  private final ReentrantLock starting = new ReentrantLock();
  private volatile @Nullable Thread reader;
  private volatile @Nullable Subscriber current;
  private volatile boolean closed;

  JedisMessages(UnifiedJedis client, String where) {
    this.client = client;
    this.where = where;
  }

  Runnable subscribe(String name, Consumer<String> onMessage, Runnable onMissed) {
    Channel channel = new Channel(onMessage, onMissed);
    starting.lock();
    try {
      channels.put(name, channel);
      Subscriber running = current;
      if (reader == null) {
        startReader();
      } else if (running != null && running.isSubscribed()) {
        running.askForMissing();
      }
    } finally {
      starting.unlock();
    }
    if (!channel.awaitConfirmation()) {
      channels.remove(name, channel);
      throw RedisErrors.notSent(where, new IllegalStateException("no answer to SUBSCRIBE"));
    }
    return () -> unsubscribe(name, channel);
  }

  private void startReader() {
    Thread thread = new Thread(this::read, "pawl-redis-messages");
    thread.setDaemon(true);
    reader = thread;
    thread.start();
  }

  private void replace(Subscriber silent) {
    starting.lock();
    try {
      if (silent.isUsed()) {
        LOG.warn("no messages from {}; connecting again", where);
        current = null;
        startReader();
      }
    } finally {
      starting.unlock();
    }
  }

  private void unsubscribe(String name, Channel channel) {
    starting.lock();
    try {
      Subscriber running = current;
      // The last channel stays: without any, the reader would end.
      if (channels.size() > 1 && channels.remove(name, channel) && running != null) {
        running.leave(name);
      } else {
        channel.mute();
      }
    } catch (JedisException e) {
      LOG.debug("unsubscribe from {}: {}", where, e.toString());
    } finally {
      starting.unlock();
    }
  }

  private void read() {
    while (!closed && reader == Thread.currentThread()) {
      Subscriber subscriber = new Subscriber(channels.keySet());
      current = subscriber;
      try {
        subscriber.run();
      } catch (JedisException e) {
        if (subscriber.isUsed()) {
          LOG.warn("no messages from {}; connecting again: {}", where, e.toString());
        }
      }
      if (subscriber.isUsed()) {
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  void close() {
    closed = true; // One that is not confirmed yet sees it when it is.
    JedisPubSub running = current;
    try {
      if (running != null && running.isSubscribed()) {
        running.unsubscribe();
      }
    } catch (JedisException e) {
      LOG.debug("unsubscribe from {}: {}", where, e.toString());
    }
    Thread thread = reader;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** Hands messages on; a second confirmation of a channel means that there was a gap. */
  private final class Subscriber extends JedisPubSub implements Heartbeat.Watched {

    /** What was asked for on this connection. */
    private final Set<String> asked = ConcurrentHashMap.newKeySet();

    private volatile CompletableFuture<Void> pong = CompletableFuture.completedFuture(null);
    private final AtomicBoolean watched = new AtomicBoolean();

    Subscriber(Set<String> first) {
      asked.addAll(first);
    }

    void run() {
      if (!asked.isEmpty()) {
        client.subscribe(this, asked.toArray(String[]::new));
      }
    }

    /** Asks for the channels that came since, once the connection can be written to. */
    void askForMissing() {
      for (String name : channels.keySet()) {
        if (asked.add(name)) {
          subscribe(name);
        }
      }
    }

    void leave(String name) {
      if (asked.remove(name)) {
        unsubscribe(name);
      }
    }

    @Override
    public boolean isUsed() {
      return !closed && current == this;
    }

    @Override
    public CompletionStage<?> probe() {
      CompletableFuture<Void> asked = new CompletableFuture<>();
      pong = asked;
      starting.lock(); // As whatever else is written to the connection.
      try {
        ping();
      } catch (JedisException e) {
        asked.completeExceptionally(e);
      } finally {
        starting.unlock();
      }
      return asked;
    }

    @Override
    public void onPong(String text) {
      pong.complete(null);
      if (!isUsed()) {
        unsubscribe();
      }
    }

    @Override
    public void replace() {
      JedisMessages.this.replace(this);
    }

    @Override
    public void onMessage(String name, String message) {
      Channel channel = channels.get(name);
      if (!isUsed()) {
        unsubscribe();
      } else if (channel != null) {
        channel.onMessage(message);
      }
    }

    @Override
    public void onSubscribe(String name, int count) {
      if (!isUsed()) {
        unsubscribe();
        return;
      }
      if (watched.compareAndSet(false, true)) {
        Heartbeat.watch(this);
      }
      starting.lock();
      try {
        askForMissing();
      } finally {
        starting.unlock();
      }
      Channel channel = channels.get(name);
      if (channel != null) {
        channel.onConfirmed();
      }
    }
  }

  private static final class Channel {
    private final Consumer<String> onMessage;
    private final Runnable onMissed;
    private final CountDownLatch confirmed = new CountDownLatch(1);
    private volatile boolean muted;

    Channel(Consumer<String> onMessage, Runnable onMissed) {
      this.onMessage = onMessage;
      this.onMissed = onMissed;
    }

    void onMessage(String message) {
      if (!muted) {
        onMessage.accept(message);
      }
    }

    void onConfirmed() {
      if (confirmed.getCount() == 0 && !muted) {
        onMissed.run();
      }
      confirmed.countDown();
    }

    void mute() {
      muted = true;
    }

    boolean awaitConfirmation() {
      try {
        return confirmed.await(CONFIRMATION.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
