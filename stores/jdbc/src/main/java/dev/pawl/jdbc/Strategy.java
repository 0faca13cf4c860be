package dev.pawl.jdbc;

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
interface Strategy extends AutoCloseable {

  Set<Capability> capabilities();

  AcquireReply acquire(Command.Acquire command);

  List<RenewReply> renew(List<Command.Renew> commands);

  ReleaseReply release(Command.Release command);

  AcquireReply yieldGrant(Command.Yield command);

  CancelReply cancel(Command.Cancel command);

  EvictReply evict(Command.Evict command);

  ResetReply reset(Command.Reset command);

  Optional<LockInfo> find(String name);

  List<LockInfo> list(Listing listing);

  /** Forgets names that have been idle for longer than the retention: see {@link Upkeep.Slices}. */
  Optional<byte[]> cleanUp(byte[] after);

  @Override
  void close();
}
