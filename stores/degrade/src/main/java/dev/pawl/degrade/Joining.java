package dev.pawl.degrade;

import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.spi.LockStore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** How a process becomes a node of a pair, or only looks at one. */
final class Joining {

  private Joining() {}

  /** Opens a pair whose primary may be down: it is opened when it is there. */
  static PairStore open(Supplier<LockStore> primary, LockStore backup, PairOptions options) {
    Surroundings world = Surroundings.ofThisProcess();
    Opening opening = new Opening(world, primary, backup, options);
    try {
      Stores stores = opening.identify();
      PairStore pair = new PairStore(world, Opening.nodeId(), options, stores, opening, false);
      try {
        start(pair, opening.backupName());
        return pair;
      } catch (RuntimeException e) {
        pair.stop();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      opening.close();
      world.shutdown().run();
      throw e;
    }
  }

  /** Opens a pair to look at it: the node is not listed, and nothing is written. */
  static PairStore look(Supplier<LockStore> primary, LockStore backup, PairOptions options) {
    return look(primary, () -> backup, options);
  }

  /** The same, of a backup that is opened again as long as it does not exist. */
  static PairStore look(
      Supplier<LockStore> primary, Supplier<LockStore> backupOpener, PairOptions options) {
    LockStore backup = backupOpener.get();
    Surroundings world = Surroundings.ofThisProcess();
    Opening opening = new Opening(world, primary, backup, backupOpener, options);
    try {
      Stores stores = opening.recorded();
      PairStore pair = new PairStore(world, Opening.nodeId(), options, stores, opening, true);
      Identity.await(pair.look(), backup.describe());
      return pair;
    } catch (RuntimeException | Error e) {
      opening.close();
      world.shutdown().run();
      throw e;
    }
  }

  /** Has the node listed, and waits for it. */
  private static void start(PairStore pair, String backup) {
    PairState state = pair.state();
    pair.begin();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!state.locked(
        after -> state.isLeased(state.now()) && state.clock.isRead() && isCeilingSet(state))) {
      String refusal = pair.refusal();
      if (refusal != null) {
        throw new IllegalArgumentException(refusal);
      }
      if (System.nanoTime() - end > 0) {
        throw state.locked(
            after ->
                state.unavailable("the backup " + backup + " did not list this node within 10 s"));
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static boolean isCeilingSet(PairState state) {
    ModeRecord seen = state.record();
    return seen != null && seen.tokens().ceiling() != 0;
  }
}
