package dev.pawl.redis.feed;

import dev.pawl.redis.port.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store hears of shard channels: from each master of a cluster, over one connection to it.
 *
 * <p>Slots move and masters are replaced. Whatever happens, the answer is to look: which master has
 * which channel now, and what is missing there. It is looked when a server ends a subscription,
 * when a connection breaks, and every few seconds, when each connection has to give a sign of life
 * as well. Until a channel is there again, whoever publishes finds nobody on it and tells all
 * servers; when it is, whoever listens is told that messages may have been missed (I8).
 */
public final class ShardMessages {

  private static final Logger LOG = LoggerFactory.getLogger(ShardMessages.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(3);

  /** What changes in a cluster changes for several channels, and not on all servers at once. */
  private static final Duration SOON = Duration.ofMillis(200);

  private final ShardLink link;
  private final Executor regularly = after(LOOK_EVERY);
  private final Executor soon = after(SOON);
  private final ConcurrentMap<String, Subscriber> channels = new ConcurrentHashMap<>();
  private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
  private final ConcurrentMap<String, ShardFeed> feeds = new ConcurrentHashMap<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicBoolean ticked = new AtomicBoolean();
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile boolean covered;

  public ShardMessages(ShardLink link) {
    this.link = link;
  }

  private static Executor after(Duration delay) {
    return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  public Runnable subscribe(List<String> names, Consumer<String> onMessage, Runnable onMissed) {
    Subscriber subscriber = new Subscriber(onMessage, onMissed);
    names.forEach(name -> channels.put(name, subscriber));
    if (link.master(Slots.of(names.get(0))) == null) {
      refreshAndLook();
    } else {
      look();
    }
    if (ticking.compareAndSet(false, true)) {
      regularly.execute(this::tick);
    }
    return () -> {
      names.forEach(name -> channels.remove(name, subscriber));
      confirmed.removeAll(names);
      look();
    };
  }

  private void tick() {
    if (channels.isEmpty()) {
      ticking.set(false);
      // One that came in between saw that this was still ticking.
      if (channels.isEmpty() || !ticking.compareAndSet(false, true)) {
        return;
      }
    }
    ticked.set(true);
    if (covered && feeds.values().stream().allMatch(ShardFeed::isSettled)) {
      look();
    } else {
      refreshAndLook();
    }
    regularly.execute(this::tick);
  }

  /** Asks the cluster first, and once for all that happens at the same time. */
  void refreshAndLook() {
    if (refreshing.compareAndSet(false, true)) {
      soon.execute(
          () -> {
            refreshing.set(false);
            if (!channels.isEmpty()) {
              var unused = link.refresh().whenComplete((done, error) -> look());
            }
          });
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
        lookOnce(ticked.getAndSet(false));
      } catch (RuntimeException e) {
        LOG.warn("messages come by way of all servers, and not by shard", e);
      }
      asked = looks.addAndGet(-asked);
    }
  }

  private void lookOnce(boolean tick) {
    if (tick) {
      feeds.values().removeIf(ShardFeed::isRested);
    }
    Map<String, List<String>> wanted = new HashMap<>();
    boolean everywhere = true;
    for (String channel : channels.keySet()) {
      String master = link.master(Slots.of(channel));
      if (master == null) {
        everywhere = false;
      } else {
        wanted.computeIfAbsent(master, key -> new ArrayList<>()).add(channel);
      }
    }
    covered = everywhere;
    feeds.forEach(
        (master, feed) -> {
          if (!wanted.containsKey(master)) {
            feed.end();
          }
        });
    wanted.forEach(
        (master, some) -> {
          ShardFeed feed = feeds.get(master);
          if (feed == null) {
            feed = new ShardFeed(this, master);
            feeds.put(master, feed);
            feed.open(link, some.get(0));
          } else {
            feed.follow(some, tick);
          }
        });
  }

  void remove(String master, ShardFeed feed) {
    feeds.remove(master, feed);
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
      if (subscriber != null && !confirmed.add(name) && !again.contains(subscriber)) {
        again.add(subscriber);
      }
    }
    again.forEach(subscriber -> subscriber.onMissed.run());
  }

  public void close() {
    channels.clear();
    look();
  }

  private record Subscriber(Consumer<String> onMessage, Runnable onMissed) {}
}
