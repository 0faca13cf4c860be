package dev.pawl.redis.redlock;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A port to a server that may be down when it is opened: it is tried again until it is there. */
public final class LazyPort implements RedisPort {

  private static final Logger LOG = LoggerFactory.getLogger(LazyPort.class);
  private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

  private final String where;
  private final Supplier<RedisPort> opening;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private volatile @Nullable RedisPort port;
  private volatile @Nullable Throwable failure;
  private volatile boolean closed;

  public LazyPort(String where, Supplier<RedisPort> opening) {
    this.where = where;
    this.opening = opening;
  }

  /** Tries to open it; later again if that fails. */
  public void open() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      RedisPort opened = opening.get();
      port = opened;
      subscriptions.forEach(subscription -> subscription.attach(opened));
    } catch (RuntimeException e) {
      LOG.debug("{} cannot be opened yet", where, e);
      failure = e;
      LATER.execute(this::open);
    } finally {
      lock.unlock();
    }
  }

  public boolean isOpen() {
    return port != null;
  }

  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public String describe() {
    return where;
  }

  @Override
  public boolean blocking() {
    return false;
  }

  @Override
  public boolean clustered() {
    return false;
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    RedisPort opened = port;
    return opened == null ? refused() : opened.eval(script, keys, args);
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    RedisPort opened = port;
    return opened == null
        ? refused()
        : opened.evalReplicated(script, keys, args, replicas, timeout);
  }

  @Override
  public CompletionStage<List<String>> scan(String pattern) {
    RedisPort opened = port;
    return opened == null ? refused() : opened.scan(pattern);
  }

  /** One that can be asked also while the server is down, and fails then. */
  @Override
  public List<RedisProbe> probes() {
    RedisPort opened = port;
    return opened != null
        ? opened.probes()
        : List.of(
            new RedisProbe() {
              @Override
              public String address() {
                return where.substring(where.indexOf("://") + 3);
              }

              @Override
              public CompletionStage<String> info() {
                return refused();
              }

              @Override
              public CompletionStage<String> setting(String name) {
                return refused();
              }
            });
  }

  private <T> CompletionStage<T> refused() {
    Throwable cause = failure;
    return CompletableFuture.failedFuture(
        closed
            ? RedisErrors.closed(where)
            : RedisErrors.notSent(
                where, cause == null ? new IllegalStateException("not open yet") : cause));
  }

  @Override
  public Runnable subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    Subscription subscription = new Subscription(channel, onMessage, onMissed);
    lock.lock();
    try {
      subscriptions.add(subscription);
      RedisPort opened = port;
      if (opened != null) {
        subscription.attach(opened);
      }
    } finally {
      lock.unlock();
    }
    return () -> {
      subscriptions.remove(subscription);
      subscription.end();
    };
  }

  @Override
  public Runnable subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    return () -> {};
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      subscriptions.forEach(Subscription::end);
      RedisPort opened = port;
      port = null;
      if (opened != null) {
        opened.close();
      }
    } finally {
      lock.unlock();
    }
  }

  /** A subscription that is made as soon as the server can be reached. */
  private static final class Subscription {
    private final String channel;
    private final Consumer<String> onMessage;
    private final Runnable onMissed;
    private volatile @Nullable Runnable end;
    private volatile boolean ended;

    Subscription(String channel, Consumer<String> onMessage, Runnable onMissed) {
      this.channel = channel;
      this.onMessage = onMessage;
      this.onMissed = onMissed;
    }

    void attach(RedisPort opened) {
      if (ended) {
        return;
      }
      try {
        end = opened.subscribe(channel, onMessage, onMissed);
      } catch (RuntimeException e) {
        LOG.warn("no messages from {}: {}", opened.describe(), e.toString());
        LATER.execute(() -> attach(opened));
      }
      if (ended) {
        end(); // It was ended while it was being made.
      }
    }

    void end() {
      ended = true;
      Runnable running = end;
      if (running != null) {
        running.run();
      }
    }
  }
}
