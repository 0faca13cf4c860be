package dev.pawl.testkit;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.Registers;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A sound store that can lock and nothing else, and has no queue; whatever else it is asked fails.
 */
final class ModestStore extends BendableStore {

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return command.exclusive() ? super.acquire(withoutQueue(command)) : unsupported();
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return release(command.release()).thenCompose(done -> acquire(command.next()));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return isClosed() ? super.evict(command) : unsupported();
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return isClosed() ? super.find(name) : unsupported();
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return isClosed() ? super.list(listing) : unsupported();
  }

  @Override
  public Registers registers() {
    return isClosed() ? super.registers() : Registers.none(this);
  }

  private static Command.Acquire withoutQueue(Command.Acquire from) {
    return new Command.Acquire(
        from.name(),
        from.claim(),
        from.permits(),
        from.capacity(),
        from.leaseMicros(),
        from.span(),
        from.mark(),
        false,
        from.fair(),
        from.label(),
        from.actor());
  }

  private static <R> CompletionStage<R> unsupported() {
    return CompletableFuture.failedFuture(new UnsupportedOperationException("modest"));
  }
}
