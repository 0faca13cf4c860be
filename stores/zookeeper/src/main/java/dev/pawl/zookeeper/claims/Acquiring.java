package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.zookeeper.session.Session;
import java.util.concurrent.CompletableFuture;

/** Asking for a name: what is the same in every strategy. */
final class Acquiring {

  /** How a strategy goes about it; called in the claim's turn. */
  interface Strategy {

    /** A claim that has no node asks for the name. */
    CompletableFuture<AcquireReply> place(OwnClaim claim, Command.Acquire command);

    /** A claim that has a node asks again, which is a sign of life. */
    CompletableFuture<AcquireReply> known(OwnClaim claim, Command.Acquire command);
  }

  private final Registry registry;
  private final Strategy strategy;

  Acquiring(Registry registry, Strategy strategy) {
    this.registry = registry;
    this.strategy = strategy;
  }

  CompletableFuture<AcquireReply> acquire(Command.Acquire command) {
    if (registry.endedClaims.contains(command.claim())) {
      return completedFuture(new AcquireReply.Ended());
    }
    OwnClaim claim = registry.findOrMake(command);
    return claim.turn(() -> ask(claim, command));
  }

  private CompletableFuture<AcquireReply> ask(OwnClaim claim, Command.Acquire command) {
    if (registry.endedClaims.contains(claim.id)) {
      return completedFuture(new AcquireReply.Ended());
    }
    if (claim.ended) { // Its session ended while this waited for its turn.
      return acquire(command);
    }
    Session session = registry.link.session();
    if (claim.doubtful) {
      return registry
          .nodes
          .find(claim, session)
          .thenCompose(
              found -> found ? strategy.known(claim, command) : strategy.place(claim, command));
    }
    if (registry.isExpired(claim)) {
      return registry.remove(claim).thenCompose(done -> acquire(command));
    }
    return claim.place != null ? strategy.known(claim, command) : strategy.place(claim, command);
  }
}
