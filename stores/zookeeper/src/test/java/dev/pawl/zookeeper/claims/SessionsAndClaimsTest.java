package dev.pawl.zookeeper.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Paths;
import dev.pawl.zookeeper.tree.Place;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of claims, watches and nodes where a session or a request fails. */
class SessionsAndClaimsTest {

  private static final Paths PATHS = new Paths("/pawl");
  private static ZooKeeperServer server;

  /** The first path of each change of several nodes. */
  private final Queue<String> changed = new ConcurrentLinkedQueue<>();

  /** Below which path the next change of several nodes throws. */
  private final AtomicReference<String> failing = new AtomicReference<>("");

  private final CuratorFramework client =
      CuratorFrameworkFactory.builder()
          .connectString(server.address())
          .sessionTimeoutMs(60_000)
          .retryPolicy(new RetryOneTime(100))
          .zookeeperFactory(new Factory())
          .build();
  private final Link link =
      new Link(client, true, "zk://" + server.address(), 60_000, ZooDefs.Ids.OPEN_ACL_UNSAFE);
  private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);

  /** Sweeps at once, and hears of no session. */
  private final Claims claims = new Claims(link, PATHS, 0, false);

  /** Whose sessions end without anybody telling it. */
  private final Registry registry =
      new Registry(
          link, PATHS, new Parents(link, PATHS, 0), new ClaimNodes(link, PATHS, false), timers);

  private final Line line = new Line(registry);

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void open() throws Exception {
    Link.Listener nobody =
        new Link.Listener() {
          @Override
          public void onEnded(Session session) {}

          @Override
          public void onConnected(Session session) {}
        };
    link.open(nobody, TimeUnit.MINUTES.toMillis(1));
    answer(claims.makeRoot());
  }

  @AfterEach
  void close() {
    claims.close();
    timers.shutdownNow();
    link.close();
  }

  private final class Factory implements ZookeeperFactory {
    @Override
    public ZooKeeper newZooKeeper(
        String connect, int timeout, Watcher watcher, boolean readOnly, ZKClientConfig config)
        throws Exception {
      return new Failing(connect, timeout, watcher);
    }

    @Override
    public ZooKeeper newZooKeeper(String connect, int timeout, Watcher watcher, boolean readOnly)
        throws Exception {
      return new Failing(connect, timeout, watcher);
    }
  }

  private final class Failing extends ZooKeeper {
    Failing(String connect, int timeout, Watcher watcher) throws IOException {
      super(connect, timeout, watcher);
    }

    @Override
    public void multi(Iterable<Op> changes, AsyncCallback.MultiCallback callback, Object context) {
      String path = changes.iterator().next().getPath();
      String text = failing.get();
      if (!text.isEmpty() && path.startsWith(text) && failing.compareAndSet(text, "")) {
        throw new IllegalStateException("no packets today");
      }
      changed.add(path);
      super.multi(changes, callback, context);
    }
  }

  private static Command.Acquire acquire(String name, int counter) {
    return new Command.Acquire(
        name,
        new ClaimId("node", counter),
        Command.EVERYTHING,
        Command.EVERYTHING,
        60_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        "label",
        "actor");
  }

  private static <T> T answer(CompletableFuture<T> stage) throws Exception {
    return stage.get(1, TimeUnit.MINUTES);
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** I2: the next session has just been heard of, and says nothing of what the one before made. */
  @Test
  @Tag("safety")
  void aGrantOfASessionThatWasGivenUpIsNotToldByTheNextOne() throws Exception {
    Session before = link.session();
    answer(before.create(PATHS.lock("late"), new byte[0], CreateMode.PERSISTENT));
    String holder = PATHS.lock("late") + "/" + Place.prefix(acquire("late", 1), Place.Kind.FAIR);
    answer(before.create(holder, new byte[0], CreateMode.EPHEMERAL_SEQUENTIAL));
    Command.Acquire command = acquire("late", 2);
    SimpleHolder simple = new SimpleHolder(registry, line);
    Waiting waiting = new Waiting(registry, line);
    Acquiring acquiring =
        new Acquiring(registry, new FairStrategy(registry, line, waiting, simple, () -> {}));
    assertThat(answer(acquiring.acquire(command))).isInstanceOf(AcquireReply.Queued.class);
    Queue<Signal> told = new ConcurrentLinkedQueue<>();
    registry.subscribe("node", told::add);
    OwnClaim claim = registry.find(command.claim());
    Watches.Watch watch = claim.watching;

    client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
    await("the next session", () -> isIn(before));
    watch.process(new WatchedEvent(EventType.NodeDeleted, KeeperState.SyncConnected, holder));
    answer(claim.turn(() -> CompletableFuture.completedFuture(true)));

    assertThat(claim.session).isSameAs(before);
    assertThat(told).isEmpty();
    assertThat(claim.held).isFalse();
  }

  /** Tells whether there is a session behind that one. */
  private boolean isIn(Session before) {
    try {
      return link.session() != before;
    } catch (StoreUnavailableException e) {
      return false;
    }
  }

  /** As when its holder leaves between an acquire that finds it and the look at who it is. */
  @Test
  void aNodeThatIsGoneWhenItIsLookedAtLeavesNoWatcher() throws Exception {
    SimpleHolder holder = new SimpleHolder(registry, line);
    assertThat(answer(holder.look("gone", true))).isEmpty();
    assertThat(holder.watched()).isZero();

    String path = PATHS.lock("there");
    byte[] entry = new OwnClaim(acquire("there", 1)).entry().encode();
    answer(link.session().create(path, entry, CreateMode.EPHEMERAL));
    answer(holder.look("there", true));
    assertThat(holder.watched()).isEqualTo(1);
    answer(link.session().delete(path));
    await("it is told", () -> holder.watched() == 0);
  }

  @Test
  void aSweepThatFailsIsNotTheLast() throws Exception {
    use("first");
    failing.set(PATHS.lock("first"));
    claims.cleanUp();
    await("it fails", () -> failing.get().isEmpty());
    use("second");
    await("it goes on", () -> changed.contains(PATHS.lock("second") + "/empty"));
  }

  private void use(String name) throws Exception {
    Command.Acquire command = acquire(name, 1);
    AcquireReply reply = answer(claims.acquire(command));
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
    long token = ((AcquireReply.Granted) reply).grant().token();
    answer(
        claims.release(
            new Command.Release(name, command.claim(), token, OptionalLong.empty(), false)));
  }
}
