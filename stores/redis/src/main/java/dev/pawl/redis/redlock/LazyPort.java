package dev.pawl.redis.redlock;

import dev.pawl.redis.port.Later;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A port to a server that may be down when it is opened: it is tried again until it is there. */
public final class LazyPort implements RedisPort {

  private static final Logger LOG = LoggerFactory.getLogger(LazyPort.class);
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
  private static final Later LATER = new Later(LazyPort::onThread);

  private final String where;
  private final Supplier<RedisPort> opening;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Late> subscriptions = new CopyOnWriteArrayList<>();
  private volatile @Nullable RedisPort port;
  private volatile @Nullable Throwable failure;
  private volatile boolean closed;

  public LazyPort(String where, Supplier<RedisPort> opening) {
    this.where = where;
    this.opening = opening;
  }

  /** Tries to open it; later again if that fails. */
  public void open() {
    if (!tryToOpen()) {
      openLater();
    }
  }

  /** Opening blocks: not in the application's common pool. */
  public static void onThread(Runnable task) {
    Thread thread = new Thread(task, "pawl-redlock-open");
    thread.setDaemon(true);
    thread.start();
  }

  /** Tries again in a second, and so on. */
  public void openLater() {
    LATER.run(RETRY_DELAY, this::open);
  }

  /** Tries to open it, and tells whether there is nothing left to try. */
  public boolean tryToOpen() {
    if (closed || port != null) {
      return true;
    }
    try {
      attach(opening.get());
      return true;
    } catch (RuntimeException | Error e) {
      LOG.debug("{} cannot be opened yet", where, e);
      failure = e;
      return false;
    }
  }

  /** Has the port used, unless it was closed while it was opened: nobody waits for that. */
  private void attach(RedisPort opened) {
    lock.lock();
    try {
      if (!closed && port == null) {
        port = opened;
        subscriptions.forEach(subscription -> subscription.attach(opened));
        return;
      }
    } finally {
      lock.unlock();
    }
    opened.close();
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
            new RedisProbe(
                where.substring(where.indexOf("://") + 3), () -> refused(), name -> refused()));
  }

  private <T> CompletionStage<T> refused() {
    Throwable cause = failure;
    return CompletableFuture.failedFuture(
        closed
            ? RedisErrors.closed(where)
            : RedisErrors.notConnected(
                where, cause == null ? new IllegalStateException("not open yet") : cause));
  }

  @Override
  public Subscription subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    Late subscription = new Late(channel, onMessage, onMissed);
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
    return new Subscription(
        subscription.confirmed(),
        () -> {
          subscriptions.remove(subscription);
          subscription.end();
        });
  }

  @Override
  public Subscription subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    return Subscription.NONE;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      subscriptions.forEach(Late::end);
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
  private static final class Late {
    private final String channel;
    private final Consumer<String> onMessage;
    private final Runnable onMissed;
    private volatile Subscription made = Subscription.NONE;
    private volatile boolean ended;

    Late(String channel, Consumer<String> onMessage, Runnable onMissed) {
      this.channel = channel;
      this.onMessage = onMessage;
      this.onMissed = onMissed;
    }

    void attach(RedisPort opened) {
      if (!ended) {
        made = opened.subscribe(channel, onMessage, onMissed);
      }
      if (ended) {
        made.end(); // It was ended while it was being made.
      }
    }

    /** Of the server that is there now: one that is not is not waited for. */
    CompletableFuture<Void> confirmed() {
      return made.confirmed();
    }

    void end() {
      ended = true;
      made.end();
    }
  }
}
