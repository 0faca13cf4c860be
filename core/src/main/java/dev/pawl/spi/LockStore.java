package dev.pawl.spi;

import dev.pawl.LockInfo;
import dev.pawl.Store;
import dev.pawl.UnsupportedByStoreException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A store as a node uses it: what a backend implements.
 *
 * <p>The commands mean what {@code dev.pawl.machine.LockMachine} does with them, atomically for
 * each name. A stage fails with {@link dev.pawl.StoreUnavailableException} if the command has
 * certainly had no effect, with {@link dev.pawl.OutcomeUnknownException} if it may have had one,
 * and with anything else if there is a bug; contention is never a failure (I11). The node repeats a
 * command that failed or was not answered, with the same claim.
 *
 * <p>Several nodes may use one instance. Stages may be completed on any thread; the node does not
 * block in what it does then.
 */
public interface LockStore extends Store {

  /** How many claims a node renews in one call, at most. */
  int MOST_RENEWALS = 250;

  /** Returns what this store can do beyond an exclusive lock. */
  Set<Capability> capabilities();

  /**
   * Tells whether the commands do their I/O in the calling thread, and return completed stages. The
   * node then calls them from the caller's own thread where that one waits anyway, and from a
   * thread for the purpose otherwise.
   */
  default boolean blocking() {
    return false;
  }

  /**
   * Returns which part of the store a name lives in. Names of one shard are renewed together; a
   * shard that fails or stalls does not delay the others (I9).
   */
  default String shard(String name) {
    return "";
  }

  /**
   * Delivers the signals for a node's claims from now on; at most one subscription a node. The
   * listener does not block.
   *
   * @return what ends the subscription when it is closed
   */
  Subscription subscribe(String node, Consumer<Signal> listener);

  /** Asks for a name. */
  CompletionStage<AcquireReply> acquire(Command.Acquire command);

  /**
   * Renews claims of one shard, {@link #MOST_RENEWALS} at most; the replies are in the order of the
   * commands. If it fails, and that is no outage, the node sends it again in halves: a name that
   * cannot be read costs the others nothing.
   */
  CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands);

  /** Gives up a grant. */
  CompletionStage<ReleaseReply> release(Command.Release command);

  /** Gives up a grant and queues again; answers for the new claim. */
  CompletionStage<AcquireReply> yieldGrant(Command.Yield command);

  /** Gives up a claim. */
  CompletionStage<CancelReply> cancel(Command.Cancel command);

  /** Removes a holder by force. */
  CompletionStage<EvictReply> evict(Command.Evict command);

  /** Lowers a mark by force. A store with {@link Capability#MARKS} can do it. */
  default CompletionStage<ResetReply> reset(Command.Reset command) {
    return CompletableFuture.failedStage(
        new UnsupportedByStoreException(
            describe()
                + " cannot do "
                + Capability.MARKS.what()
                + "; these can: "
                + Capability.MARKS.where()));
  }

  /** Returns what is known of a name. */
  CompletionStage<Optional<LockInfo>> find(String name);

  /**
   * Returns names in the order of their bytes. What the listing leaves out does not count towards
   * its limit: one name that is held is found behind any number of idle ones.
   */
  CompletionStage<List<LockInfo>> list(Listing listing);

  /**
   * Returns what the store's clock shows, in microseconds since 1970. A store that can simply ask
   * its backend does so. The default learns it from the answer to a claim, which it then gives up.
   */
  default CompletionStage<Long> nowMicros() {
    return StoreClock.read(this);
  }

  /**
   * Looks at the backend for what makes a lock on it unsafe or slow: how it is configured, what it
   * runs on, what stands between. What cannot be found out is itself a finding.
   */
  default CompletionStage<List<Finding>> examine() {
    return CompletableFuture.completedStage(List.of());
  }

  /** Returns the journal kept in this store. */
  Journal journal();

  /**
   * Returns the registers kept in this store. A store with {@link Capability#REGISTERS} has them;
   * those of another refuse everything.
   */
  default Registers registers() {
    return Registers.none(this);
  }

  /** A node's subscription to its signals. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
