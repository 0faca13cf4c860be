package dev.pawl.zookeeper.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One session, and the requests in it. They leave in the order in which they are made and are
 * answered in that order, so that several of them cost one round trip.
 *
 * <p>It also knows until when the session certainly lives: see {@link #trustNanos}.
 */
public final class Session {

  private static final int MOST_READ = 1_000;

  private final ZooKeeper zk;
  private final long id;
  private final List<ACL> acl;
  private final ServerClock clock;
  private final Runnable onExpired;

  /** When the latest request was sent that the leader has answered. */
  private final AtomicLong confirmedNanos = new AtomicLong(System.nanoTime());

  private volatile boolean ended;

  Session(ZooKeeper zk, List<ACL> acl, ServerClock clock, Runnable onExpired) {
    this.zk = zk;
    this.id = zk.getSessionId();
    this.acl = acl;
    this.clock = clock;
    this.onExpired = onExpired;
  }

  /** Returns its number. */
  public long id() {
    return id;
  }

  /**
   * Returns the timeout that the server agreed to. It is agreed anew with each connection: a server
   * that allows less than the one before it makes that of the session shorter.
   */
  public int timeoutMillis() {
    return zk.getSessionTimeout();
  }

  /** Tells whether the servers have given it up, with every node it made. */
  public boolean isEnded() {
    return ended;
  }

  void end() {
    ended = true;
  }

  /** Tells whether ZooKeeper's client has not given it up. */
  boolean isAlive() {
    return zk.getState().isAlive();
  }

  /**
   * Returns for how long after a request was sent that the leader has answered the session lives:
   * two fifths of its timeout.
   *
   * <p>Not all of it. A server that is no leader tells its leader only twice a tick who was there,
   * and a request that it passes on does not count as a sign of life. When it is answered, the
   * leader may have heard of the client for the last time a ping of the client (a third of the
   * timeout) and half a tick earlier. A tick is no more than half of the timeout, so that five
   * twelfths remain.
   */
  public long longestTrustNanos() {
    return timeoutMillis() * 400_000L;
  }

  /** Returns for how long from now on the session certainly lives; negative if nobody knows. */
  public long trustNanos(long nowNanos) {
    return confirmedNanos.get() + longestTrustNanos() - nowNanos;
  }

  /** Creates a node. */
  public CompletableFuture<Node> create(String path, byte[] data, CreateMode mode) {
    Answer<Node> answer = new Answer<>(true);
    zk.create(
        path,
        data,
        acl,
        mode,
        (AsyncCallback.Create2Callback)
            (rc, at, context, name, stat) -> {
              if (answer.succeeded(rc, at)) {
                clock.read(stat.getCtime());
                answer.complete(new Node(name, data, stat));
              }
            },
        null);
    return answer;
  }

  /**
   * Creates a sequential ephemeral node below another, and learns in the same request how many are
   * below that one: the other is written too, with nothing in it, since only a write answers with
   * that.
   */
  public CompletableFuture<Entered> enter(String parent, String prefix, byte[] data) {
    Answer<Entered> answer = new Answer<>(true);
    zk.multi(
        List.of(
            creation(parent + "/" + prefix, data, CreateMode.EPHEMERAL_SEQUENTIAL),
            Op.setData(parent, new byte[0], -1)),
        (rc, at, context, results) -> {
          if (answer.succeeded(rc, parent)) {
            String path = ((OpResult.CreateResult) results.get(0)).getPath();
            Stat written = ((OpResult.SetDataResult) results.get(1)).getStat();
            // Both were written by one transaction, so that it is also when the node was made.
            clock.read(written.getMtime());
            answer.complete(
                new Entered(
                    path, written.getMzxid(), written.getMtime(), written.getNumChildren()));
          }
        },
        null);
    return answer;
  }

  /**
   * Creates a container, and a sequential ephemeral node below it, both or neither: for a name that
   * nobody uses it is one request as well.
   */
  public CompletableFuture<Entered> enterNew(String parent, String prefix, byte[] data) {
    Answer<Entered> answer = new Answer<>(true);
    zk.multi(
        List.of(
            creation(parent, new byte[0], CreateMode.CONTAINER),
            creation(parent + "/" + prefix, data, CreateMode.EPHEMERAL_SEQUENTIAL)),
        (rc, at, context, results) -> {
          if (answer.succeeded(rc, parent)) {
            Stat made = ((OpResult.CreateResult) results.get(0)).getStat();
            String path = ((OpResult.CreateResult) results.get(1)).getPath();
            clock.read(made.getCtime());
            answer.complete(new Entered(path, made.getCzxid(), made.getCtime(), 1));
          }
        },
        null);
    return answer;
  }

  /**
   * A node that was created below another.
   *
   * @param path where it is
   * @param czxid the transaction that made it
   * @param ctime when that was
   * @param siblings how many are below the other then, with the new one
   */
  public record Entered(String path, long czxid, long ctime, int siblings) {}

  /** Deletes a node, whatever version it has. */
  public CompletableFuture<Boolean> delete(String path) {
    Answer<Boolean> answer = new Answer<>(true);
    zk.delete(
        path,
        -1,
        (rc, at, context) -> {
          if (Code.get(rc) == Code.NONODE) {
            answer.confirmed();
            answer.complete(false);
          } else if (answer.succeeded(rc, at)) {
            answer.complete(true);
          }
        },
        null);
    return answer;
  }

  /**
   * Deletes a container that is empty, and nothing else: by then its path may be that of an
   * ephemeral node, below which nothing can be created, not even for a moment.
   */
  public CompletableFuture<Boolean> deleteContainer(String path) {
    String below = path + "/empty";
    return multi(
            List.of(
                creation(below, new byte[0], CreateMode.PERSISTENT),
                Op.delete(below, -1),
                Op.delete(path, -1)))
        .handle((done, error) -> error == null);
  }

  /** Changes a node; any version if it is -1. */
  public CompletableFuture<Stat> set(String path, byte[] data, int version) {
    Answer<Stat> answer = new Answer<>(true);
    zk.setData(
        path,
        data,
        version,
        (rc, at, context, stat) -> {
          if (answer.succeeded(rc, at)) {
            clock.read(stat.getMtime());
            answer.complete(stat);
          }
        },
        null);
    return answer;
  }

  /** Tells whether a node is there. */
  public CompletableFuture<Boolean> exists(String path) {
    Answer<Boolean> answer = new Answer<>(false);
    zk.exists(
        path,
        false,
        (rc, at, context, stat) -> {
          if (Code.get(rc) == Code.NONODE) {
            answer.complete(false);
          } else if (answer.succeeded(rc, at)) {
            answer.complete(true);
          }
        },
        null);
    return answer;
  }

  /** Returns the names of the nodes below one. */
  public CompletableFuture<List<String>> children(String path, @Nullable Watcher watcher) {
    Answer<List<String>> answer = new Answer<>(false);
    zk.getChildren(
        path,
        watcher,
        (AsyncCallback.ChildrenCallback)
            (rc, at, context, children) -> {
              if (answer.succeeded(rc, at)) {
                answer.complete(children);
              }
            },
        null);
    return answer;
  }

  /** Reads a node. */
  public CompletableFuture<Node> read(String path, @Nullable Watcher watcher) {
    Answer<Node> answer = new Answer<>(false);
    zk.getData(
        path,
        watcher,
        (rc, at, context, data, stat) -> {
          if (answer.succeeded(rc, at)) {
            answer.complete(new Node(path, data == null ? new byte[0] : data, stat));
          }
        },
        null);
    return answer;
  }

  /** Reads many nodes, up to a thousand in one request; null for each that is not there. */
  public CompletableFuture<List<@Nullable Node>> readAll(List<String> paths) {
    if (paths.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    if (paths.size() > MOST_READ) { // Servers drop a connection by which a megabyte comes.
      return readAll(paths.subList(0, MOST_READ))
          .thenCombine(
              readAll(paths.subList(MOST_READ, paths.size())),
              (some, others) -> {
                List<@Nullable Node> all = new ArrayList<>(some);
                all.addAll(others);
                return all;
              });
    }
    Answer<List<@Nullable Node>> answer = new Answer<>(false);
    zk.multi(
        paths.stream().map(Op::getData).toList(),
        (rc, at, context, results) -> {
          // The code is that of the first that failed; the others were read all the same.
          if (results == null || results.size() != paths.size()) {
            answer.succeeded(rc == Code.OK.intValue() ? Code.SYSTEMERROR.intValue() : rc, at);
          } else {
            answer.complete(nodes(paths, results));
          }
        },
        null);
    return answer;
  }

  private static List<@Nullable Node> nodes(List<String> paths, List<OpResult> results) {
    List<@Nullable Node> nodes = new ArrayList<>(paths.size());
    for (int i = 0; i < paths.size(); i++) {
      nodes.add(
          results.get(i) instanceof OpResult.GetDataResult found
              ? new Node(
                  paths.get(i),
                  found.getData() == null ? new byte[0] : found.getData(),
                  found.getStat())
              : null);
    }
    return nodes;
  }

  /** Changes several nodes together, or none of them. */
  public CompletableFuture<List<OpResult>> multi(List<Op> changes) {
    Answer<List<OpResult>> answer = new Answer<>(true);
    zk.multi(
        changes,
        (rc, at, context, results) -> {
          if (answer.succeeded(rc, at)) {
            answer.complete(results);
          }
        },
        null);
    return answer;
  }

  /** Waits until the server has seen what the leader has, and the leader has seen this session. */
  public CompletableFuture<Boolean> sync(String path) {
    Answer<Boolean> answer = new Answer<>(true);
    zk.sync(
        path,
        (rc, at, context) -> {
          if (answer.succeeded(rc, at)) {
            answer.complete(true);
          }
        },
        null);
    return answer;
  }

  /** Returns what creates a node, for {@link #multi}. */
  public Op creation(String path, byte[] data, CreateMode mode) {
    return Op.create(path, data, acl, mode);
  }

  /** An answer under way. */
  private final class Answer<T> extends CompletableFuture<T> {
    private final long sentNanos = System.nanoTime();
    private final boolean byTheLeader;

    Answer(boolean byTheLeader) {
      this.byTheLeader = byTheLeader;
    }

    /** Takes a code; false if it is a failure, with which the answer is complete. */
    boolean succeeded(int rc, String path) {
      Code code = Code.get(rc);
      if (code == Code.OK) {
        confirmed();
        return true;
      }
      if (code == Code.SESSIONEXPIRED) {
        onExpired.run();
      } else if (code == Code.NONODE
          || code == Code.NODEEXISTS
          || code == Code.NOTEMPTY
          || code == Code.BADVERSION) {
        confirmed();
      }
      completeExceptionally(KeeperException.create(code, path));
      return false;
    }

    /** I2: from before the request was sent; the session may have been heard of then. */
    void confirmed() {
      if (byTheLeader) {
        confirmedNanos.accumulateAndGet(sentNanos, (a, b) -> a - b > 0 ? a : b);
      }
    }
  }
}
