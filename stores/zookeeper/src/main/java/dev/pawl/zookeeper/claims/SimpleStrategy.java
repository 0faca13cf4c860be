package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Place;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Asking for a name by creating its one node: whoever creates it holds the name. There is no line:
 * the others are told that it is busy, watch that node, and all try again when it is gone.
 *
 * <p>The node is where the container of the line would be. An ephemeral node has nothing below it,
 * and a path is created once, so that ZooKeeper itself sees to it that users of both strategies
 * exclude each other.
 */
final class SimpleStrategy implements Acquiring.Strategy {

  /** How often a name's node may change hands while a claim asks for it. */
  private static final int ATTEMPTS = 5;

  private final Registry registry;
  private final Line line;
  private final SimpleHolder holder;
  private final Runnable makeRoot;

  SimpleStrategy(Registry registry, Line line, SimpleHolder holder, Runnable makeRoot) {
    this.registry = registry;
    this.line = line;
    this.holder = holder;
    this.makeRoot = makeRoot;
  }

  @Override
  public CompletableFuture<AcquireReply> place(OwnClaim claim, Command.Acquire command) {
    return take(claim, command, 1);
  }

  @Override
  public CompletableFuture<AcquireReply> known(OwnClaim claim, Command.Acquire command) {
    return registry
        .nodes
        .find(claim, registry.link.session())
        .thenApply(
            found -> {
              if (!found) {
                registry.forget(claim, true); // Somebody removed it.
                return new AcquireReply.Ended();
              }
              return new AcquireReply.Granted(line.grant(claim, command, true));
            });
  }

  private CompletableFuture<AcquireReply> take(
      OwnClaim claim, Command.Acquire command, int attempt) {
    Session session = registry.link.session();
    claim.session = session;
    claim.doubtful = true;
    CompletableFuture<Node> created =
        session.create(
            registry.paths.lock(claim.name), claim.entry().encode(), CreateMode.EPHEMERAL);
    return Answers.then(
        created,
        (node, error) ->
            node != null
                ? completedFuture(taken(claim, command, session, node))
                : notTaken(claim, command, attempt, error));
  }

  private AcquireReply taken(OwnClaim claim, Command.Acquire command, Session session, Node node) {
    claim.placed(session, Place.simple(claim.id), node);
    return new AcquireReply.Granted(line.grant(claim, command, false));
  }

  private CompletableFuture<AcquireReply> notTaken(
      OwnClaim claim, Command.Acquire command, int attempt, @Nullable Throwable error) {
    // In doubt it is looked for when somebody asks again, or gives it up.
    claim.doubtful = error == null || !Errors.isAnswered(error);
    if (error != null && Errors.is(error, Code.NODEEXISTS)) {
      return busy(claim, command, attempt);
    }
    if (error != null && Errors.is(error, Code.NONODE) && attempt < ATTEMPTS) {
      makeRoot.run();
      return take(claim, command, attempt + 1);
    }
    if (claim.doubtful) {
      registry.endAt(claim, Registry.now() + command.leaseMicros() * 1_000);
    } else {
      registry.forget(claim, false);
    }
    return Answers.failed(error);
  }

  private CompletableFuture<AcquireReply> busy(
      OwnClaim claim, Command.Acquire command, int attempt) {
    return Answers.then(
        holder.look(claim.name, command.queue()),
        (found, error) -> {
          if (found != null && found.isEmpty() && attempt < ATTEMPTS) {
            return take(claim, command, attempt + 1); // It has left since.
          }
          registry.forget(claim, false);
          return found == null
              ? Answers.failed(error)
              : completedFuture(new AcquireReply.Busy(found.orElseGet(holder::nobody)));
        });
  }
}
