package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.tree.Place;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One request that was not answered, at the moments where a claim has two nodes. */
class UnsurePlaceTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final LockOptions UNFAIR = LockOptions.DEFAULT.withFair(false);
  private static ZooKeeperServer server;
  private static Looker looker;

  private final AtomicReference<String> unanswered = new AtomicReference<>("");
  private final CuratorFramework client = client(unanswered);
  private ZooKeeperStore store;
  private Pawl pawl;
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
    pawl = Pawl.builder(store).responseTimeout(LONG).build();
    direct =
        Pawl.builder("zk://" + server.address() + "?sessionTimeout=60s")
            .responseTimeout(LONG)
            .build();
  }

  @AfterEach
  void close() {
    direct.close();
    pawl.close();
    store.close();
    client.close();
  }

  /** A client that loses the answer to the next request for a path with that text in it. */
  private static CuratorFramework client(AtomicReference<String> unanswered) {
    return CuratorFrameworkFactory.builder()
        .connectString(server.address())
        .sessionTimeoutMs(60_000)
        .retryPolicy(new RetryOneTime(100))
        .zookeeperFactory(
            new ZookeeperFactory() {
              @Override
              public ZooKeeper newZooKeeper(
                  String connect, int timeout, Watcher watcher, boolean readOnly) throws Exception {
                return new Forgetful(connect, timeout, watcher, unanswered);
              }

              @Override
              public ZooKeeper newZooKeeper(
                  String connect,
                  int timeout,
                  Watcher watcher,
                  boolean readOnly,
                  ZKClientConfig config)
                  throws Exception {
                return newZooKeeper(connect, timeout, watcher, readOnly);
              }
            })
        .build();
  }

  private static final class Forgetful extends ZooKeeper {
    private final AtomicReference<String> unanswered;

    Forgetful(String connect, int timeout, Watcher watcher, AtomicReference<String> unanswered)
        throws IOException {
      super(connect, timeout, watcher);
      this.unanswered = unanswered;
    }

    private boolean isUnanswered(String path) {
      String text = unanswered.get();
      return !text.isEmpty() && path.contains(text) && unanswered.compareAndSet(text, "");
    }

    /** It is done, and nobody hears of it. */
    @Override
    public void create(
        String path,
        byte[] data,
        List<ACL> acl,
        CreateMode mode,
        AsyncCallback.Create2Callback callback,
        Object context) {
      boolean lost = isUnanswered(path);
      super.create(
          path,
          data,
          acl,
          mode,
          (AsyncCallback.Create2Callback)
              (rc, at, ctx, name, stat) ->
                  callback.processResult(
                      lost ? Code.CONNECTIONLOSS.intValue() : rc, at, ctx, name, stat),
          context);
    }

    @Override
    public void multi(Iterable<Op> changes, AsyncCallback.MultiCallback callback, Object context) {
      boolean lost = isUnanswered(changes.iterator().next().getPath());
      super.multi(
          changes,
          (rc, at, ctx, results) ->
              callback.processResult(
                  lost ? Code.CONNECTIONLOSS.intValue() : rc, at, ctx, lost ? null : results),
          context);
    }

    /** It never arrives. */
    @Override
    public void delete(
        String path, int version, AsyncCallback.VoidCallback callback, Object context) {
      if (isUnanswered(path)) {
        callback.processResult(Code.CONNECTIONLOSS.intValue(), path, context);
      } else {
        super.delete(path, version, callback, context);
      }
    }
  }

  private CompletableFuture<Lease> standsAside(String name) {
    CompletableFuture<Lease> waiting = pawl.lock(name, UNFAIR).acquireAsync(LONG);
    eventually(
        "it stands aside",
        () -> looker.children("/pawl/locks/" + name).stream().anyMatch(e -> e.startsWith("w.")));
    return waiting;
  }

  @Test
  void oneThatStoodAsideAndIsNotToldThatItSteppedInDoesNotWaitForItself() throws Exception {
    Lease held = direct.lock("step-in").acquire(LONG);
    CompletableFuture<Lease> waiting = standsAside("step-in");
    unanswered.set("/step-in/u.");
    held.close();

    waiting.get(30, TimeUnit.SECONDS).close();

    assertThat(unanswered.get()).as("it was met").isEmpty();
    eventually("nothing is left", () -> looker.nodesOf("/pawl", "step-in") == 0);
  }

  @Test
  void oneThatSteppedInLeavesNoNodeAside() throws Exception {
    Lease held = direct.lock("aside").acquire(LONG);
    CompletableFuture<Lease> waiting = standsAside("aside");
    unanswered.set("/aside/w.");
    held.close();

    Lease lease = waiting.get(30, TimeUnit.SECONDS);

    assertThat(unanswered.get()).as("it was met").isEmpty();
    assertThat(looker.children("/pawl/locks/aside")).hasSize(1);
    lease.close();
    eventually("nothing is left", () -> looker.nodesOf("/pawl", "aside") == 0);
  }

  /**
   * A client gives a session up before the servers do, when it is cut off from them for longer than
   * the timeout: then there is a node of the same claim from before.
   */
  @Test
  void aNodeIsFoundBehindThatOfAnEarlierSession() throws Exception {
    Command.Acquire command =
        new Command.Acquire(
            "earlier",
            new ClaimId("node", 7),
            Command.EVERYTHING,
            Command.EVERYTHING,
            60_000_000,
            1,
            OptionalLong.empty(),
            true,
            true,
            "label",
            "actor");
    looker.create("/pawl/locks/earlier", new byte[0]);
    String earlier =
        looker.zk.create(
            "/pawl/locks/earlier/" + Place.prefix(command, Place.Kind.FAIR),
            new byte[0],
            ZooDefs.Ids.OPEN_ACL_UNSAFE,
            CreateMode.EPHEMERAL_SEQUENTIAL);
    unanswered.set("/earlier/f.");
    assertThat(acquired(command)).isInstanceOf(CompletableFuture.class);
    eventually("ours is there", () -> looker.children("/pawl/locks/earlier").size() == 2);

    AcquireReply reply = store.acquire(command).toCompletableFuture().get(30, TimeUnit.SECONDS);

    assertThat(reply).isInstanceOf(AcquireReply.Queued.class);
    assertThat(looker.children("/pawl/locks/earlier")).as("one of each session").hasSize(2);
    looker.zk.delete(earlier, -1);
  }

  private CompletableFuture<AcquireReply> acquired(Command.Acquire command) {
    CompletableFuture<AcquireReply> reply = store.acquire(command).toCompletableFuture();
    assertThat(reply).failsWithin(LONG);
    return reply;
  }
}
