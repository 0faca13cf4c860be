package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.record.ModeRegister;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** How a node that is closed leaves the list of those who are waited for. */
final class SignOff {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final PairState state;
  private final ModeRegister register;

  SignOff(PairState state, ModeRegister register) {
    this.state = state;
    this.register = register;
  }

  /** Has the node taken off the list, so that nobody waits for it; not for long. */
  void leave() {
    if (isCountedOn()) {
      return; // It is waited for as if it had died.
    }
    Change.Leave leave = new Change.Leave(state.node);
    try {
      register
          .read()
          .thenCompose(seen -> leave(seen, leave))
          .toCompletableFuture()
          .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      // Whoever switches waits for its mode lease.
    }
  }

  /** Tells whether a node that is not closed holds something; what is kept is held by nobody. */
  private boolean isCountedOn() {
    return state.locked(
        after ->
            state.claims.known().stream()
                .anyMatch(
                    claim ->
                        (claim.state == State.HELD || claim.state == State.LOST)
                            && !claim.kept
                            && state.listeners.containsKey(claim.id.node())));
  }

  private CompletionStage<Boolean> leave(ModeRegister.Seen seen, Change.Leave leave) {
    if (seen.record().member(state.node).isEmpty()) {
      return CompletableFuture.completedFuture(true);
    }
    return register
        .change(seen, leave)
        .thenCompose(
            outcome ->
                outcome instanceof ModeRegister.Overtaken overtaken
                    ? leave(overtaken.now(), leave)
                    : CompletableFuture.completedFuture(true));
  }
}
