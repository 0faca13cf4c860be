package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.record.ModeRegister;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** How a node that is closed leaves the list of those who are waited for. */
final class SignOff {

  private final PairState state;
  private final ModeRegister register;

  SignOff(PairState state, ModeRegister register) {
    this.state = state;
    this.register = register;
  }

  /** Has the node taken off the list, so that nobody waits for it; not for long. */
  void leave() {
    boolean holds =
        state.locked(
            after ->
                state.claims.stream()
                    .anyMatch(c -> c.state == State.HELD || c.state == State.LOST));
    if (holds) {
      return; // It is waited for as if it had died.
    }
    Change.Leave leave = new Change.Leave(state.node);
    try {
      register
          .read()
          .thenCompose(seen -> leave(seen, leave))
          .toCompletableFuture()
          .orTimeout(2, TimeUnit.SECONDS)
          .join();
    } catch (RuntimeException e) {
      // Whoever switches waits for its mode lease.
    }
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
