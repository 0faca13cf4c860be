package dev.pawl.redis.feed;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one master for messages, from its opening to its end, and what is heard there.
 *
 * <p>A master that cannot be reached is tried again when it is next looked; one that knows no shard
 * channels, or lets nobody listen to them, much later: it may have been upgraded.
 */
final class ShardFeed implements ShardLink.Listener {

  private static final Logger LOG = LoggerFactory.getLogger(ShardFeed.class);

  /** For how many regular looks a master that refused is left alone: about a minute. */
  private static final int REFUSED = 20;

  private static final int UNREACHABLE = 1;

  private final ShardMessages messages;
  private final String master;

  /** The channels that were asked for here, and not refused or ended. */
  private final Set<String> channels = ConcurrentHashMap.newKeySet();

  /** What shows, when it is done, that the master is alive. */
  private CompletableFuture<?> sign = CompletableFuture.completedFuture(null);

  private int silentTicks;
  private volatile ShardLink.@Nullable Line line;
  private volatile int rest;
  private volatile boolean settled;
  private volatile boolean ended;

  ShardFeed(ShardMessages messages, String master) {
    this.messages = messages;
    this.master = master;
  }

  void open(ShardLink link, String first) {
    sign =
        link.open(first, this)
            .whenComplete(
                (opened, error) -> {
                  if (error != null) {
                    leaveAlone(RedisErrors.unwrap(error));
                    return;
                  }
                  line = opened;
                  if (ended) {
                    opened.close();
                  } else {
                    messages.look();
                  }
                })
            .toCompletableFuture();
  }

  /** Stays without a connection for a while: messages come by way of all servers. */
  private void leaveAlone(Throwable error) {
    LOG.debug("no messages by shard from {}", master, error);
    disconnect();
    settled =
        error instanceof PawlException
            && !(error instanceof StoreUnavailableException)
            && !(error instanceof OutcomeUnknownException);
    rest = settled ? REFUSED : UNREACHABLE;
  }

  /** Tells, whenever it is regularly looked, whether it was left alone for long enough. */
  boolean isRested() {
    int left = rest;
    if (left > 0) {
      rest = left - 1;
    }
    return left == 1;
  }

  /** Tells whether there is nothing that another look could mend. */
  boolean isSettled() {
    return settled && rest != 1;
  }

  /** Listens to these channels and no others, and sees whether there is still life. */
  void follow(List<String> wanted, boolean tick) {
    if (ended) {
      return;
    }
    if (tick) {
      silentTicks = sign.isDone() ? 0 : silentTicks + 1;
    }
    ShardLink.Line open = line;
    if (silentTicks > 1) {
      leaveAlone(new TimeoutException("no sign of life"));
    } else if (open != null) {
      follow(open, wanted, tick);
    }
  }

  private void follow(ShardLink.Line open, List<String> wanted, boolean tick) {
    List<String> missing = new ArrayList<>(wanted);
    missing.removeAll(channels);
    settled = missing.isEmpty();
    if (!settled) {
      subscribe(open, missing);
    } else if (tick && sign.isDone()) {
      sign = ask(open, wanted.get(0));
    }
    List<String> over = new ArrayList<>(channels);
    over.removeAll(wanted);
    over.forEach(
        channel -> {
          channels.remove(channel);
          open.unsubscribe(channel);
        });
  }

  private void subscribe(ShardLink.Line open, List<String> missing) {
    channels.addAll(missing);
    List<CompletableFuture<Void>> asked = missing.stream().map(name -> ask(open, name)).toList();
    CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
    sign = all;
    var unused =
        all.whenComplete(
            (done, error) -> {
              missing.retainAll(channels);
              settled = error == null;
              messages.onConfirmed(missing);
            });
  }

  private CompletableFuture<Void> ask(ShardLink.Line open, String channel) {
    return open.subscribe(channel)
        .whenComplete(
            (done, error) -> {
              Throwable cause = error == null ? null : RedisErrors.unwrap(error);
              if (cause instanceof StoreUnavailableException) {
                onUnsubscribed(channel);
              } else if (cause != null) {
                leaveAlone(cause);
              }
            })
        .toCompletableFuture();
  }

  @Override
  public void onMessage(String channel, String message) {
    messages.onMessage(channel, message);
  }

  @Override
  public void onUnsubscribed(String channel) {
    if (channels.remove(channel)) {
      messages.refreshAndLook();
    }
  }

  @Override
  public void onClosed() {
    if (!ended) {
      end();
      messages.refreshAndLook();
    }
  }

  /** Ends; the next look opens another one if it is wanted. */
  void end() {
    disconnect();
    messages.remove(master, this);
  }

  private void disconnect() {
    ended = true;
    channels.clear();
    ShardLink.Line open = line;
    line = null;
    if (open != null) {
      open.close();
    }
  }
}
