package dev.pawl.zookeeper;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import dev.pawl.zookeeper.claims.Claims;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.tree.Paths;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store in ZooKeeper, opened by URL or over the {@code CuratorFramework} that the application
 * has.
 */
public final class ZooKeeperStore implements LockStore {

  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperStore.class);

  /** How long the servers are given to answer when the store is opened: more than a call is. */
  private static final long PATIENCE_MILLIS = 15_000;

  /** How long closing waits for the servers to let go of what is left. */
  private static final long LEAVING_MILLIS = 2_000;

  private final Link link;
  private final ZooKeeperStrategy strategy;
  private final Claims claims;
  private final ZooKeeperJournal journal;
  private final ZooKeeperRegisters registers;
  private final AtomicBoolean closing = new AtomicBoolean();

  private ZooKeeperStore(Link link, ZooKeeperOptions options) {
    Paths paths = new Paths(options.root());
    this.link = link;
    this.strategy = options.strategy();
    this.claims =
        new Claims(
            link,
            paths,
            options.retention().toNanos(),
            options.strategy() == ZooKeeperStrategy.SIMPLE);
    this.journal = new ZooKeeperJournal(link, paths);
    this.registers = new ZooKeeperRegisters(link, paths);
  }

  /**
   * Opens the store at a URL, with a client of its own.
   *
   * @throws IllegalArgumentException if the URL is malformed; the message shows no secret
   * @throws dev.pawl.StoreUnavailableException if it cannot be reached
   */
  public static ZooKeeperStore open(String url) {
    return open(url, ZooKeeperOptions.DEFAULT);
  }

  /** Opens the store at a URL with these options, where the URL says nothing else. */
  public static ZooKeeperStore open(String url, ZooKeeperOptions options) {
    ZooKeeperUrl parsed = ZooKeeperUrl.parse(url);
    ZooKeeperOptions all = parsed.options(options);
    return open(parsed.link(all), all);
  }

  /** Opens what there is at a URL, to look at it: no root is created, and nothing cleaned up. */
  static LockStore openExisting(String url) {
    ZooKeeperUrl parsed = ZooKeeperUrl.parse(url);
    ZooKeeperOptions options = parsed.options(ZooKeeperOptions.DEFAULT);
    Link link = parsed.link(options);
    ZooKeeperStore store = new ZooKeeperStore(link, options);
    try {
      link.open(store.claims, PATIENCE_MILLIS);
      Paths paths = new Paths(options.root());
      if (store.awaited(link.session().exists(paths.locks()))) {
        return store;
      }
      store.claims.close();
      return new MissingRoot(link, options.root());
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  /**
   * Opens the store over a client that the application has started, and goes on to use. What the
   * store keeps is below the client's namespace, if it has one. The session timeout is the client's
   * own; its {@code ACLProvider} is not used ({@link ZooKeeperOptions#creatorOnly}).
   *
   * @throws IllegalArgumentException if it is not started, or closed, or the view of a client that
   *     {@code usingNamespace} returns
   */
  public static ZooKeeperStore over(CuratorFramework client, ZooKeeperOptions options) {
    if (client.getState() != CuratorFrameworkState.STARTED) {
      throw new IllegalArgumentException(
          "the CuratorFramework is "
              + (client.getState() == CuratorFrameworkState.LATENT
                  ? "not started; call its start() first"
                  : "closed; hand in one that is open"));
    }
    refuseView(client);
    String namespace = client.getNamespace();
    String root = namespace.isEmpty() ? options.root() : "/" + namespace + options.root();
    String where = "zk://" + client.getZookeeperClient().getCurrentConnectionString() + root;
    List<ACL> acl =
        options.creatorOnly() ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
    return open(new Link(client, false, where, 0, acl), options.withRoot(root));
  }

  private static void refuseView(CuratorFramework client) {
    try {
      var unused = client.getCuratorListenable();
    } catch (UnsupportedOperationException e) {
      throw new IllegalArgumentException(
          "the CuratorFramework is a view by usingNamespace, which does not tell when it is closed;"
              + " hand in the client that was built, and put the namespace into the root"
              + " (ZooKeeperOptions.withRoot)",
          e);
    }
  }

  private static ZooKeeperStore open(Link link, ZooKeeperOptions options) {
    ZooKeeperStore store = new ZooKeeperStore(link, options);
    try {
      link.open(store.claims, PATIENCE_MILLIS);
      var unused = store.awaited(store.claims.makeRoot());
      store.claims.cleanUp();
      return store;
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  private <T> T awaited(CompletableFuture<T> answer) {
    try {
      return answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      Throwable failure = Errors.of(link.where(), Objects.requireNonNullElse(e.getCause(), e));
      throw failure instanceof RuntimeException known ? known : new CompletionException(failure);
    } catch (TimeoutException e) {
      throw Errors.notConnected(link.where());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Errors.notConnected(link.where());
    }
  }

  /** Returns the answer to something, with a failure that says what it means. */
  static <T> CompletableFuture<T> answered(Link link, Supplier<CompletableFuture<T>> asked) {
    return Answers.then(
        Answers.begun(asked),
        (value, error) ->
            error == null
                ? CompletableFuture.completedFuture(value)
                : CompletableFuture.failedFuture(Errors.of(link.where(), error)));
  }

  /** Deletes expired marks now, for tests. */
  CompletableFuture<Integer> deleteOldMarks() {
    return claims.deleteOldMarks();
  }

  /** The client below, for tests. */
  CuratorFramework client() {
    return link.client();
  }

  @Override
  public String describe() {
    return strategy == ZooKeeperStrategy.FAIR ? link.where() : link.where() + " (simple)";
  }

  @Override
  public Set<Capability> capabilities() {
    return strategy == ZooKeeperStrategy.FAIR
        ? EnumSet.allOf(Capability.class)
        : EnumSet.of(Capability.INSPECT, Capability.REGISTERS);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return claims.subscribe(node, listener)::run;
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return answered(link, () -> claims.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return answered(link, () -> claims.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return answered(link, () -> claims.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return answered(link, () -> claims.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return answered(link, () -> claims.cancel(command));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return answered(link, () -> claims.evict(command));
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return answered(link, () -> claims.reset(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return answered(link, () -> claims.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return answered(link, () -> claims.list(listing));
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return answered(link, claims::nowMicros);
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return answered(link, () -> new ZooKeeperExamination(link, strategy).findings());
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public Registers registers() {
    return registers;
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      boolean isOpen = link.leave();
      if (isOpen && !link.isOwned()) {
        leave();
      } else {
        end();
      }
    }
  }

  /** The session goes on without this store: what is left in it would be there for nobody. */
  private void leave() {
    CompletableFuture<Void> gone = claims.leaveAll();
    try {
      gone.get(LEAVING_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn(
          "{}: claims of the store that was closed are left, and given up when there is a"
              + " connection; they end with the session of the CuratorFramework at the latest",
          link.where());
    }
    var unused = gone.whenComplete((done, error) -> end());
  }

  private void end() {
    claims.close();
    link.close();
  }
}
