package dev.pawl.redis.redlock;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * One of the independent servers, with a vote: the lock machine without a queue. Commands about one
 * claim take effect in the order in which they were sent.
 */
interface RedlockServer {

  /** Asks for its vote; the tokens of the grant are {@code floor} or higher. */
  CompletionStage<AcquireReply> acquire(Command.Acquire command, long floor);

  /** Gives up one grant and asks for another. */
  CompletionStage<AcquireReply> yieldGrant(Command.Yield command, long floor);

  /** Gives a holder the token that was agreed on; false if it does not hold any more. */
  CompletionStage<Boolean> setToken(Command.Acquire command, long token);

  /** Renews claims. */
  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands);

  /** Takes a vote back. */
  CompletionStage<ReleaseReply> release(Command.Release command);

  /** Takes back a vote that may or may not have been given. */
  CompletionStage<CancelReply> cancel(Command.Cancel command);

  /** Takes back a vote of a claim that was refused, and may want to be told of a change. */
  CompletionStage<CancelReply> takeBack(Command.Acquire refused);

  /** Takes a holder's vote away. */
  CompletionStage<EvictReply> evict(Command.Evict command);

  /** Returns what its clock shows. */
  CompletionStage<Long> nowMicros();
}
