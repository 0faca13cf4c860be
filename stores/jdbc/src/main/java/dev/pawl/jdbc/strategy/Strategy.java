package dev.pawl.jdbc.strategy;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The commands of a store, as one of the strategies carries them out in the calling thread. */
public interface Strategy extends AutoCloseable {

  /** Returns what it can do. */
  Set<Capability> capabilities();

  /** Takes or asks for a name. */
  AcquireReply acquire(Command.Acquire command);

  /** Renews claims, in their order. */
  List<RenewReply> renew(List<Command.Renew> commands);

  /** Ends a grant. */
  ReleaseReply release(Command.Release command);

  /** Ends a grant and asks again. */
  AcquireReply yieldGrant(Command.Yield command);

  /** Ends a claim. */
  CancelReply cancel(Command.Cancel command);

  /** Ends the grant of another. */
  EvictReply evict(Command.Evict command);

  /** Sets a mark back. */
  ResetReply reset(Command.Reset command);

  /** Returns what is known of a name. */
  Optional<LockInfo> find(String name);

  /** Returns what is known of names. */
  List<LockInfo> list(Listing listing);

  /** Forgets names that have been idle for longer than the retention: see {@link Upkeep.Slices}. */
  Optional<byte[]> cleanUp(byte[] after);

  @Override
  void close();
}
