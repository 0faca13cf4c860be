package dev.pawl.zookeeper.claims;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Signal;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Session;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of a session: whoever removes a claim of it by force writes down which, in the same
 * change, and the session watches. It is also what the clock is read by.
 */
final class Mailbox {

  private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);

  /** How many removed claims are written down; a renewal finds out about older ones. */
  private static final int MOST = 50;

  private final Registry registry;
  private final AtomicReference<@Nullable Session> made = new AtomicReference<>();

  Mailbox(Registry registry) {
    this.registry = registry;
  }

  /** Sees to it that the session has one; sent ahead of what follows, and not waited for. */
  void open(Session session) {
    Session before = made.get();
    if (before != session && made.compareAndSet(before, session)) {
      String path = registry.paths.session(session.id());
      var unused =
          session
              .create(path, new byte[0], CreateMode.EPHEMERAL)
              .whenComplete(
                  (node, error) -> {
                    if (error != null && !Errors.is(error, Code.NODEEXISTS)) {
                      made.compareAndSet(session, null);
                    }
                  });
      watch(session, path);
    }
  }

  private void watch(Session session, String path) {
    var unused =
        session
            .read(path, event -> onEvent(session, path, event.getType()))
            .whenComplete(
                (node, error) -> {
                  if (error == null) {
                    claims(node.data()).forEach(this::onRemoved);
                  } else {
                    LOG.debug("{} is not watched", path, error);
                    made.compareAndSet(session, null);
                  }
                });
  }

  private void onEvent(Session session, String path, Watcher.Event.EventType type) {
    if (type == Watcher.Event.EventType.NodeDataChanged && !session.isEnded()) {
      watch(session, path);
    }
  }

  private void onRemoved(ClaimId id) {
    OwnClaim claim = registry.find(id);
    if (claim != null) {
      var unused =
          claim.turn(
              () -> {
                if (!claim.ended) {
                  registry.forget(claim, true);
                  registry.tell(id, new Signal.Evicted(claim.name, id));
                }
                return CompletableFuture.completedFuture(true);
              });
    }
  }

  /** Returns what tells a session that a claim of it was removed. */
  static Op removal(String path, byte[] before, Stat stat, ClaimId claim) {
    List<ClaimId> all = new ArrayList<>(claims(before));
    all.add(claim);
    String text =
        String.join(
            "\n",
            all.subList(Math.max(0, all.size() - MOST), all.size()).stream()
                .map(ClaimId::toString)
                .toList());
    return Op.setData(path, text.getBytes(StandardCharsets.UTF_8), stat.getVersion());
  }

  private static List<ClaimId> claims(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split("\n")).map(ClaimId::parse).toList();
  }

  /** Reads the clock, by writing the node anew. */
  CompletableFuture<Long> readClock(Session session) {
    open(session);
    String path = registry.paths.session(session.id());
    CompletableFuture<Stat> written =
        session
            .read(path, null)
            .thenCompose(node -> session.set(path, node.data(), node.stat().getVersion()));
    return Answers.then(
        written,
        (stat, error) -> {
          if (error != null && Errors.is(error, Code.BADVERSION)) {
            return readClock(session); // Somebody has written to it meanwhile.
          }
          return stat != null
              ? CompletableFuture.completedFuture(stat.getMtime() * 1_000)
              : Answers.failed(error);
        });
  }
}
