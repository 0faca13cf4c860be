package dev.pawl.degrade;

import dev.pawl.degrade.PairState.After;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import java.util.concurrent.CompletableFuture;

/** Who is told what becomes of a claim: by the answer to its acquire, or by a signal. */
interface GrantSink {

  void granted(Grant grant, After after);

  /** It is not granted yet, and the claim waits. */
  void waits(Contention contention, After after);

  void done(long mark, After after);

  /** The claim is given up, and another one is to be made. */
  void ended(After after);

  void failed(Throwable error, After after);

  /** A sink that tells by a signal. */
  static GrantSink bySignal(PairState state, PairClaim claim) {
    return new GrantSink() {
      @Override
      public void granted(Grant grant, After after) {
        state.tell(claim, new Signal.Granted(claim.name, grant), after);
      }

      @Override
      public void waits(Contention contention, After after) {}

      @Override
      public void done(long mark, After after) {
        state.tell(claim, new Signal.Done(claim.name, claim.id, mark), after);
      }

      @Override
      public void ended(After after) {
        state.tell(claim, new Signal.Lost(claim.name, claim.id, "its token was too low"), after);
      }

      @Override
      public void failed(Throwable error, After after) {}
    };
  }

  /** A sink that answers an acquire. */
  static GrantSink byReply(CompletableFuture<AcquireReply> reply) {
    return new GrantSink() {
      @Override
      public void granted(Grant grant, After after) {
        after.add(() -> reply.complete(new AcquireReply.Granted(grant)));
      }

      @Override
      public void waits(Contention contention, After after) {
        after.add(() -> reply.complete(new AcquireReply.Queued(contention)));
      }

      @Override
      public void done(long mark, After after) {
        after.add(() -> reply.complete(new AcquireReply.Done(mark)));
      }

      @Override
      public void ended(After after) {
        after.add(() -> reply.complete(new AcquireReply.Ended()));
      }

      @Override
      public void failed(Throwable error, After after) {
        after.add(() -> reply.completeExceptionally(error));
      }
    };
  }
}
