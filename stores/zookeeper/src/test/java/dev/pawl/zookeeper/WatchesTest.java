package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.testservers.ZooKeeperServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ZooKeeper's client is asked for, one by one, and what becomes of it. */
class WatchesTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static ZooKeeperServer server;
  private static Looker looker;

  /** The watches that the client was given, by their path. */
  private final Map<String, Set<Watcher>> watches = new ConcurrentHashMap<>();

  /** Of which path the next watch is not set, and nobody knows. */
  private final AtomicReference<String> lost = new AtomicReference<>("");

  /** Which node goes just before it would be changed. */
  private final AtomicReference<String> vanishing = new AtomicReference<>("");

  private final CuratorFramework client =
      CuratorFrameworkFactory.builder()
          .connectString(server.address())
          .sessionTimeoutMs(60_000)
          .retryPolicy(new RetryOneTime(100))
          .zookeeperFactory(new Factory())
          .build();
  private ZooKeeperStore store;
  private Pawl direct;

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
    looker = new Looker(server.address());
  }

  @AfterAll
  static void stop() {
    looker.close();
    server.close();
  }

  @BeforeEach
  void open() {
    client.start();
    store = ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT);
    direct =
        Pawl.builder("zk://" + server.address() + "?sessionTimeout=60s")
            .responseTimeout(LONG)
            .build();
  }

  @AfterEach
  void close() {
    direct.close();
    store.close();
    client.close();
  }

  private final class Factory implements ZookeeperFactory {
    @Override
    public ZooKeeper newZooKeeper(
        String connect, int timeout, Watcher watcher, boolean readOnly, ZKClientConfig config)
        throws Exception {
      return new Watched(connect, timeout, watcher);
    }

    @Override
    public ZooKeeper newZooKeeper(String connect, int timeout, Watcher watcher, boolean readOnly)
        throws Exception {
      return new Watched(connect, timeout, watcher);
    }
  }

  private final class Watched extends ZooKeeper {
    Watched(String connect, int timeout, Watcher watcher) throws IOException {
      super(connect, timeout, watcher);
    }

    @Override
    public void getData(
        String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
      String text = lost.get();
      if (watcher != null && path.equals(text) && lost.compareAndSet(text, "")) {
        callback.processResult(Code.CONNECTIONLOSS.intValue(), path, context, null, null);
        return;
      }
      if (watcher != null) {
        watches.computeIfAbsent(path, key -> ConcurrentHashMap.newKeySet()).add(watcher);
      }
      super.getData(path, watcher, callback, context);
    }

    @Override
    public void multi(Iterable<Op> changes, AsyncCallback.MultiCallback callback, Object context) {
      String path = vanishing.get();
      for (Op change : changes) {
        if (change.getPath().equals(path) && vanishing.compareAndSet(path, "")) {
          remove(path);
        }
      }
      super.multi(changes, callback, context);
    }
  }

  private static void remove(String path) {
    try {
      looker.zk.delete(path, -1);
    } catch (KeeperException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Command.Acquire acquire(String name, int counter, OptionalLong mark) {
    return new Command.Acquire(
        name,
        new ClaimId("node", counter),
        Command.EVERYTHING,
        Command.EVERYTHING,
        60_000_000,
        1,
        mark,
        true,
        true,
        "label",
        "actor");
  }

  private static <T> T answer(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static String onlyNode(String name) {
    return "/pawl/locks/" + name + "/" + looker.children("/pawl/locks/" + name).get(0);
  }

  /** As {@code tryAcquire(1 s)} once a second, beside a lock that is held for months. */
  @Test
  void whoeverGivesUpLeavesNoWatchForEachTime() throws Exception {
    try (Lease held = direct.lock("for-months").acquire(LONG)) {
      String node = onlyNode("for-months");
      for (int i = 0; i < 20; i++) {
        Command.Acquire command = acquire("for-months", i, OptionalLong.empty());
        assertThat(answer(store.acquire(command))).isInstanceOf(AcquireReply.Queued.class);
        answer(store.cancel(new Command.Cancel("for-months", command.claim(), false)));
      }
      assertThat(watches.get(node)).as("the client keeps each until the node changes").hasSize(1);
      held.ensureHeld();
    }
  }

  /** Else whoever stands far back finds out by its next sign of life, many seconds later. */
  @Test
  void aWatchOfWhichNobodyKnowsIsSetAgain() throws Exception {
    try (Lease held = direct.lock("unknown-watch").acquire(LONG)) {
      String node = onlyNode("unknown-watch");
      lost.set(node);
      Command.Acquire command = acquire("unknown-watch", 1, OptionalLong.empty());
      assertThat(store.acquire(command).toCompletableFuture()).failsWithin(LONG);
      assertThat(watches).doesNotContainKey(node);

      assertThat(answer(store.acquire(command))).isInstanceOf(AcquireReply.Queued.class);

      assertThat(watches).containsKey(node);
      held.ensureHeld();
      answer(store.cancel(new Command.Cancel("unknown-watch", command.claim(), false)));
    }
  }

  /** As when it is set back, or is no longer kept, while a run ends. */
  @Test
  void aMarkThatVanishesWhileItIsRaisedLeavesNobodyInTheLine() throws Exception {
    String name = "job:vanishing";
    for (int tick = 1; tick <= 2; tick++) {
      Command.Acquire command = acquire(name, tick, OptionalLong.of(tick));
      AcquireReply.Granted granted = (AcquireReply.Granted) answer(store.acquire(command));
      if (tick == 2) {
        vanishing.set("/pawl/marks/job%3Avanishing");
      }
      Command.Release release =
          new Command.Release(
              name, command.claim(), granted.grant().token(), OptionalLong.of(tick), false);

      assertThat(answer(store.release(release))).isEqualTo(ReleaseReply.RELEASED);

      assertThat(looker.children("/pawl/locks/job%3Avanishing")).as("claims").isEmpty();
    }
    assertThat(vanishing.get()).as("it was met").isEmpty();
    assertThat(answer(store.find(name)).orElseThrow().mark()).hasValue(2);
  }
}
