package dev.pawl.zookeeper.claims;

import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/**
 * Marks that nobody has raised for as long as they are kept. Every process that has a store open
 * looks for them now and then; a mark that is raised meanwhile has another version, and stays.
 */
final class OldMarks {

  /** How many are read in one request. */
  private static final int TOGETHER = 200;

  private final Link link;
  private final Paths paths;

  OldMarks(Link link, Paths paths) {
    this.link = link;
    this.paths = paths;
  }

  /** Deletes those that have expired by then; answers how many. */
  CompletableFuture<Integer> delete(long nowMicros) {
    Session session = link.session();
    return session
        .children(paths.marks(), null)
        .thenCompose(
            segments -> {
              List<String> marks =
                  segments.stream().map(segment -> paths.marks() + "/" + segment).toList();
              return delete(session, marks, 0, nowMicros);
            });
  }

  private CompletableFuture<Integer> delete(
      Session session, List<String> marks, int deleted, long nowMicros) {
    if (marks.isEmpty()) {
      return CompletableFuture.completedFuture(deleted);
    }
    int some = Math.min(TOGETHER, marks.size());
    return session
        .readAll(marks.subList(0, some))
        .thenCompose(nodes -> deleteExpired(session, nodes, nowMicros))
        .thenCompose(
            more -> delete(session, marks.subList(some, marks.size()), deleted + more, nowMicros));
  }

  private static CompletableFuture<Integer> deleteExpired(
      Session session, List<@Nullable Node> nodes, long nowMicros) {
    List<CompletableFuture<Integer>> gone = new ArrayList<>();
    for (Node node : nodes) {
      if (node != null && Mark.of(node).untilMicros() < nowMicros) {
        gone.add(
            session
                .multi(List.of(Op.delete(node.path(), node.stat().getVersion())))
                .handle((done, error) -> error == null ? 1 : notDeleted(error)));
      }
    }
    return CompletableFuture.allOf(gone.toArray(CompletableFuture[]::new))
        .thenApply(done -> gone.stream().mapToInt(CompletableFuture::join).sum());
  }

  private static int notDeleted(Throwable error) {
    if (Errors.is(error, Code.BADVERSION) || Errors.is(error, Code.NONODE)) {
      return 0; // It was raised, or another process was faster.
    }
    throw new CompletionException(Errors.unwrap(error));
  }
}
