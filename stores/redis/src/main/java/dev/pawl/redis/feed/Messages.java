package dev.pawl.redis.feed;

import dev.pawl.redis.port.Later;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a port hears of its channels: from each server that has some, over one connection to it. A
 * channel that all servers of a cluster hear of, or that of the one server there is, is heard at
 * one; a shard channel at the master of its slot.
 *
 * <p>Connections break, servers fall silent without closing them, slots move and masters are
 * replaced. Whatever happens, the answer is to look: which server has which channel now, and what
 * is missing there. It is looked when a server ends a subscription, when a connection breaks, and
 * every few seconds, when each connection has to give a sign of life as well. When a channel is
 * heard again, whoever listens is told that messages may have been missed (I8).
 */
public final class Messages {

  private static final Logger LOG = LoggerFactory.getLogger(Messages.class);

  /** How long a silent connection may cost waiters their hints; polls stand behind them (I8). */
  static final Duration HEARTBEAT = Duration.ofSeconds(3);

  private final String where;
  private final MessageLink link;
  private final ConcurrentMap<String, Subscriber> channels = new ConcurrentHashMap<>();
  private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
  private final ConcurrentMap<String, ServerFeed> feeds = new ConcurrentHashMap<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile boolean covered;
  private volatile boolean closed;

  public Messages(String where, MessageLink link) {
    this.where = where;
    this.link = link;
  }

  /** Subscribes; what cannot be confirmed is said once, and tried again until it is ended. */
  public RedisPort.Subscription subscribe(
      List<String> names, Consumer<String> onMessage, Runnable onMissed) {
    if (closed) {
      throw RedisErrors.closed(where);
    }
    Subscriber subscriber = new Subscriber(names, onMessage, onMissed, new CompletableFuture<>());
    names.forEach(name -> channels.put(name, subscriber));
    if (link.server(names.get(0)) == null) {
      refreshAndLook();
    } else {
      look();
    }
    if (ticking.compareAndSet(false, true)) {
      Later.ON_ANY_THREAD.run(HEARTBEAT, this::tick);
    }
    if (closed) {
      close(); // It was closed before the channels were there.
    }
    return new RedisPort.Subscription(subscriber.confirmed, () -> unsubscribe(subscriber));
  }

  private void unsubscribe(Subscriber subscriber) {
    subscriber.names.forEach(name -> channels.remove(name, subscriber));
    confirmed.removeAll(subscriber.names);
    look();
  }

  private void tick() {
    if (channels.isEmpty()) {
      ticking.set(false);
      // One that came in between saw that this was still ticking.
      if (channels.isEmpty() || !ticking.compareAndSet(false, true)) {
        return;
      }
    }
    if (covered && feeds.values().stream().allMatch(ServerFeed::isSettled)) {
      look();
    } else {
      refreshAndLook();
    }
    Later.ON_ANY_THREAD.run(HEARTBEAT, this::tick);
  }

  /** Asks the link first, and once for all that happens at the same time. */
  void refreshAndLook() {
    if (refreshing.compareAndSet(false, true)) {
      Later.ON_ANY_THREAD.run(
          link.retryDelay(),
          () -> {
            refreshing.set(false);
            refresh();
          });
    }
  }

  /** Looks again when a server is to be tried again. */
  void retry(Duration delay) {
    Later.ON_ANY_THREAD.run(delay, this::refresh);
  }

  private void refresh() {
    if (!channels.isEmpty()) {
      var unused = link.refresh().whenComplete((done, error) -> look());
    }
  }

  /** Looks, unless somebody does; he then looks once more. */
  void look() {
    int asked = looks.incrementAndGet();
    if (asked > 1) {
      return;
    }
    while (asked != 0) {
      try {
        lookOnce();
      } catch (RuntimeException | Error e) { // Whoever looks next must be able to.
        LOG.warn("no messages from {}", where, e);
      }
      asked = looks.addAndGet(-asked);
    }
  }

  private void lookOnce() {
    Map<String, List<String>> wanted = new HashMap<>();
    boolean everywhere = true;
    for (String channel : channels.keySet()) {
      String server = link.server(channel);
      if (server == null) {
        everywhere = false;
      } else {
        wanted.computeIfAbsent(server, key -> new ArrayList<>()).add(channel);
      }
    }
    covered = everywhere;
    for (String server : List.copyOf(feeds.keySet())) {
      if (!wanted.containsKey(server)) {
        Objects.requireNonNull(feeds.remove(server)).end();
      }
    }
    wanted.forEach(
        (server, some) ->
            feeds.computeIfAbsent(server, key -> new ServerFeed(this, link, key)).follow(some));
  }

  void onMessage(String channel, String message) {
    Subscriber subscriber = channels.get(channel);
    if (subscriber != null) {
      subscriber.onMessage.accept(message);
    }
  }

  /** These channels are heard; if some were before, there was a gap. */
  void onConfirmed(Collection<String> names) {
    List<Subscriber> again = new ArrayList<>();
    for (String name : names) {
      Subscriber subscriber = channels.get(name);
      if (subscriber == null) {
        continue;
      }
      if (!confirmed.add(name) && !again.contains(subscriber)) {
        again.add(subscriber);
      }
      if (!subscriber.confirmed.isDone() && confirmed.containsAll(subscriber.names)) {
        subscriber.confirmed.complete(null);
      }
    }
    again.forEach(subscriber -> subscriber.onMissed.run());
  }

  /** A server is not heard; whoever waits to be subscribed there knows why. */
  void onFailure(String server, Throwable error) {
    channels.forEach(
        (name, subscriber) -> {
          if (!subscriber.confirmed.isDone() && server.equals(link.server(name))) {
            subscriber.confirmed.completeExceptionally(error);
          }
        });
  }

  public void close() {
    closed = true;
    channels
        .values()
        .forEach(
            subscriber -> subscriber.confirmed.completeExceptionally(RedisErrors.closed(where)));
    channels.clear();
    look();
  }

  private record Subscriber(
      List<String> names,
      Consumer<String> onMessage,
      Runnable onMissed,
      CompletableFuture<Void> confirmed) {}
}
