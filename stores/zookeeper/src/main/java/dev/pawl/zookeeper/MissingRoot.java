package dev.pawl.zookeeper;

import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.Finding;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;

/** An ensemble in which nobody has taken a lock yet, so that there is no root. */
final class MissingRoot extends AbsentStore {

  private final Link link;
  private final String root;

  MissingRoot(Link link, String root) {
    super(link.where());
    this.link = link;
    this.root = root;
  }

  /** Reads the clock in the stat of an ephemeral node beside the root, which is gone at once. */
  @Override
  public CompletionStage<Long> nowMicros() {
    return ZooKeeperStore.answered(link, () -> clock(link.session(), above(root)));
  }

  private static CompletableFuture<Long> clock(Session session, String parent) {
    String path = parent + "/pawl-clock-" + Long.toHexString(session.id());
    CompletableFuture<Node> created = session.create(path, new byte[0], CreateMode.EPHEMERAL);
    CompletableFuture<Boolean> deleted = session.delete(path);
    return Answers.then(
        created.thenCombine(deleted, (node, done) -> node.stat().getCtime() * 1_000),
        (micros, error) -> {
          if (micros != null) {
            return CompletableFuture.completedFuture(micros);
          }
          return error != null && Errors.is(error, Code.NONODE) && !parent.isEmpty()
              ? clock(session, above(parent))
              : Answers.failed(error);
        });
  }

  private static String above(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return ZooKeeperStore.answered(
        link,
        () -> {
          List<Finding> findings = new ArrayList<>(ZooKeeperExamination.ofServers(link));
          findings.add(Finding.fine("there is no " + root + " yet; the first lock creates it"));
          return CompletableFuture.completedFuture(findings);
        });
  }

  @Override
  public void close() {
    link.close();
  }
}
