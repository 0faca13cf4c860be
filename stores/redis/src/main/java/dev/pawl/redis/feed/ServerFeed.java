package dev.pawl.redis.feed;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is heard at one server: a connection for messages, and another one in its place when it
 * breaks or falls silent.
 *
 * <p>A server that cannot be reached is tried again soon, with a back-off. So is one that refuses
 * but was heard before: it may be a password that is changed back. One that was never heard (it
 * knows no shard channels, or lets nobody listen to them) is tried much later: it may have been
 * upgraded.
 */
final class ServerFeed {

  private static final Logger LOG = LoggerFactory.getLogger(ServerFeed.class);

  private static final Duration MOST_BACK_OFF = Duration.ofSeconds(1);
  private static final Duration REFUSED = Duration.ofMinutes(1);
  private static final Duration MOST_OPENING = Duration.ofSeconds(10);
  private static final int MOST_DOUBLINGS = 10;

  private final Messages messages;
  private final MessageLink link;
  private final String server;
  private final AtomicReference<@Nullable Wire> current = new AtomicReference<>();
  private volatile int failures;
  private volatile long retryAtNanos = System.nanoTime();
  private volatile boolean settled;
  private volatile boolean wasHeard;

  ServerFeed(Messages messages, MessageLink link, String server) {
    this.messages = messages;
    this.link = link;
    this.server = server;
  }

  /** Tells whether there is nothing that another look could mend. */
  boolean isSettled() {
    return settled;
  }

  /** Listens to these channels and no others, and sees whether there is still life. */
  void follow(List<String> wanted) {
    Wire wire = current.get();
    if (wire == null) {
      if (System.nanoTime() - retryAtNanos >= 0) {
        new Wire().open(wanted.get(0));
      }
    } else if (wire.isSilent()) {
      wire.fail(RedisErrors.notSent(server, new TimeoutException("no sign of life")));
    } else {
      wire.follow(wanted);
    }
  }

  void end() {
    Wire wire = current.getAndSet(null);
    if (wire != null) {
      wire.close();
    }
  }

  /** One connection, from its opening to its end. */
  private final class Wire implements MessageLink.Listener {

    /** The channels that were asked for here, and not refused or ended. */
    private final Set<String> channels = ConcurrentHashMap.newKeySet();

    /** What shows, when it is done, that the server is alive; and since when it is due. */
    private volatile CompletableFuture<?> sign = new CompletableFuture<>();

    private volatile long signNanos = System.nanoTime();
    private volatile MessageLink.@Nullable Connection connection;

    /** The channel that it was opened with, until it is confirmed with the others. */
    private volatile @Nullable String opening;

    void open(String first) {
      opening = first;
      current.set(this);
      sign =
          connect(first)
              .whenComplete(
                  (opened, error) -> {
                    if (error != null) {
                      fail(RedisErrors.unwrap(error));
                    } else {
                      onOpened(opened, first);
                    }
                  })
              .toCompletableFuture();
    }

    /** There may be no thread to read it with. */
    private CompletionStage<MessageLink.Connection> connect(String first) {
      try {
        return link.open(first, this);
      } catch (RuntimeException | Error e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    private void onOpened(MessageLink.Connection opened, String first) {
      channels.add(first);
      signNanos = System.nanoTime(); // It has just answered, however long the opening took.
      connection = opened;
      if (current.get() == this) {
        messages.look();
      } else {
        opened.close(); // It was given up meanwhile.
      }
    }

    /** One that is being opened has the client's own timeouts, and this where it has none. */
    boolean isSilent() {
      Duration bound = connection == null ? MOST_OPENING : Messages.HEARTBEAT;
      return !sign.isDone() && System.nanoTime() - signNanos >= bound.toNanos();
    }

    private boolean isDue() {
      return System.nanoTime() - signNanos >= Messages.HEARTBEAT.toNanos();
    }

    void follow(List<String> wanted) {
      MessageLink.Connection open = connection;
      if (open == null) {
        return;
      }
      List<String> missing = new ArrayList<>(wanted);
      missing.removeAll(channels);
      settled = missing.isEmpty() && opening == null;
      if (!settled) {
        subscribe(open, missing);
      } else if (sign.isDone() && isDue()) {
        failures = 0;
        await(ask(open, wanted.get(0)));
      }
      List<String> surplus = new ArrayList<>(channels);
      surplus.removeAll(wanted);
      for (String channel : surplus) {
        channels.remove(channel);
        open.unsubscribe(channel);
      }
    }

    private void subscribe(MessageLink.Connection open, List<String> missing) {
      channels.addAll(missing);
      CompletableFuture<Void> all =
          CompletableFuture.allOf(
              missing.stream().map(name -> ask(open, name)).toArray(CompletableFuture[]::new));
      List<String> heard = new ArrayList<>(missing);
      String first = opening;
      if (first != null) {
        heard.add(first);
        opening = null;
      }
      await(all);
      var unused =
          all.whenComplete(
              (done, error) -> {
                heard.retainAll(channels);
                settled = error == null;
                if (error == null) {
                  wasHeard = true;
                }
                messages.onConfirmed(heard);
                if (error != null) {
                  messages.onFailure(server, RedisErrors.unwrap(error));
                }
              });
    }

    private void await(CompletableFuture<?> answer) {
      signNanos = System.nanoTime();
      sign = answer;
    }

    private CompletableFuture<Void> ask(MessageLink.Connection open, String channel) {
      return open.subscribe(channel)
          .whenComplete(
              (done, error) -> {
                Throwable cause = error == null ? null : RedisErrors.unwrap(error);
                if (cause instanceof StoreUnavailableException) {
                  onUnsubscribed(channel);
                } else if (cause != null) {
                  fail(cause);
                }
              })
          .toCompletableFuture();
    }

    @Override
    public void onMessage(String channel, String message) {
      if (current.get() == this) {
        messages.onMessage(channel, message);
      }
    }

    @Override
    public void onUnsubscribed(String channel) {
      if (channels.remove(channel)) {
        messages.refreshAndLook();
      }
    }

    @Override
    public void onClosed() {
      fail(RedisErrors.notSent(server, new IllegalStateException("the connection was closed")));
    }

    /** Stays without a connection for a while. */
    void fail(Throwable error) {
      if (!current.compareAndSet(this, null)) {
        return;
      }
      if (connection == null) {
        LOG.debug("no messages from {}", server, error);
      } else {
        LOG.warn("no messages from {}; connecting again: {}", server, error.getMessage());
      }
      close();
      settled = isRefusal(error) && !wasHeard;
      Duration delay = settled ? REFUSED : backOff();
      retryAtNanos = System.nanoTime() + delay.toNanos();
      messages.onFailure(server, error);
      if (!settled) {
        messages.retry(delay);
      }
    }

    void close() {
      MessageLink.Connection open = connection;
      channels.clear();
      if (open != null) {
        open.close();
      }
    }
  }

  private Duration backOff() {
    int doublings = Math.min(failures, MOST_DOUBLINGS);
    failures = doublings + 1;
    Duration delay = link.retryDelay().multipliedBy(1L << doublings);
    return delay.compareTo(MOST_BACK_OFF) < 0 ? delay : MOST_BACK_OFF;
  }

  private static boolean isRefusal(Throwable error) {
    return error instanceof PawlException
        && !(error instanceof StoreUnavailableException)
        && !(error instanceof OutcomeUnknownException);
  }
}
