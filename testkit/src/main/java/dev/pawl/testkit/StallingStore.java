package dev.pawl.testkit;

import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that a node can no longer reach with what it holds, as if the node had stalled. */
final class StallingStore extends ForwardingStore {

  volatile boolean stalls;

  StallingStore(LockStore next) {
    super(next);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return stalls ? new CompletableFuture<>() : super.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return stalls ? new CompletableFuture<>() : super.release(command);
  }
}
