package dev.pawl.engine.locks;

import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Pace;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.RenewReply;
import org.jspecify.annotations.Nullable;

/** A claim and its place in this node: who contends by it, and who holds the name by it. */
final class LocalClaim extends Claim {

  /** Who made it, or took it over when a writer became a reader; of the same queue. */
  Contender contender;

  /** Who holds the name by it now. */
  @Nullable HeldLease lease;

  LocalClaim(
      ClaimId id,
      Request request,
      Pace pace,
      Contender contender,
      @Nullable LocalClaim predecessor) {
    super(id, request, pace, predecessor);
    this.contender = contender;
  }

  LocalQueue queue() {
    return contender.queue();
  }

  @Override
  public void fire(long now) {
    queue().onTimer(this, now);
  }

  /** Hands the answer to a renewal or a poll to its queue. */
  void renewed(RenewalCall call, @Nullable RenewReply reply, @Nullable Throwable error) {
    queue().onRenewed(this, call, reply, error);
  }
}
