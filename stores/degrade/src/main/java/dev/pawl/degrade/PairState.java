package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Standing;
import dev.pawl.degrade.protocol.Warden;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a node of a pair knows: the record as it was seen last, its mode lease, and its claims. All
 * of it is guarded by one lock, which is never held across a call to a store or to a listener: such
 * calls are collected, and made afterwards.
 */
final class PairState {

  /** What is called when the lock has been given back. */
  static final class After {
    private final List<Runnable> actions = new ArrayList<>(2);

    void add(Runnable action) {
      actions.add(action);
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  final String node;
  final Surroundings world;
  final Side primary;
  final Side backup;
  final Warden warden;
  final PairClock clock = new PairClock();
  final Marks marks;
  final Claims claims = new Claims();
  final Belief belief = new Belief(this);
  final Map<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();

  /** What waits until the record is another one. */
  private final List<Runnable> parked = new ArrayList<>();

  /** Why the backup did not do what it was asked last; null if it did. */
  private @Nullable Throwable backupFailure;

  /** Is called when the record should be looked at soon. */
  private Runnable onNudge = () -> {};

  PairState(String node, Surroundings world, Side primary, Side backup, Warden warden) {
    this.node = node;
    this.world = world;
    this.primary = primary;
    this.backup = backup;
    this.warden = warden;
    this.marks = new Marks(backup);
  }

  void onNudge(Runnable action) {
    onNudge = action;
  }

  <T> T locked(Function<After, T> action) {
    After after = new After();
    T result;
    lock.lock();
    try {
      result = action.apply(after);
    } finally {
      lock.unlock();
    }
    after.actions.forEach(Runnable::run);
    return result;
  }

  void run(Consumer<After> action) {
    var unused =
        locked(
            after -> {
              action.accept(after);
              return true;
            });
  }

  long now() {
    return world.nanos().getAsLong();
  }

  Side side(boolean ofPrimary) {
    return ofPrimary ? primary : backup;
  }

  // The record. The lock is held.

  @Nullable ModeRecord record() {
    return warden.standing().seen();
  }

  /** Tells whether the node may count on anything now. */
  boolean isLeased(long now) {
    Standing standing = warden.standing();
    ModeRecord seen = standing.seen();
    return seen != null && standing.lastsAt(now) && seen.member(node).isPresent();
  }

  /** Returns the epoch that names carry in a store that is in use; zero if it is not. */
  static long names(ModeRecord record, boolean ofPrimary) {
    return switch (record.mode()) {
      case PRIMARY -> ofPrimary ? record.primaryNames() : record.backupNames();
      case RETURNING -> ofPrimary ? record.primaryNames() : record.backupNames();
      case BACKUP -> ofPrimary ? 0 : record.backupNames();
      case LEAVING -> 0;
    };
  }

  /** Tells whether the primary is the store that has the locks. */
  static boolean isPrimary(ModeRecord record) {
    return record.mode() == Mode.PRIMARY;
  }

  /** Returns why nothing can be asked for now; null if it can. */
  @Nullable RuntimeException refusal(long now) {
    ModeRecord seen = record();
    if (seen == null || !isLeased(now)) {
      return unavailable(
          "the pair's backup has not answered for a mode lease, and without it nobody may count on"
              + " a lock; look at the backup");
    }
    return seen.mode() == Mode.LEAVING
        ? new StoreUnavailableException(
            "the locks are moving from the primary to the backup ("
                + seen.reason()
                + "), and nothing is granted meanwhile; try again in a few seconds",
            null)
        : null;
  }

  void onBackupFailed(@Nullable Throwable failure) {
    backupFailure =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
  }

  /** Returns why the backup did not do what it was asked last, in words to put behind others. */
  String backupSays() {
    Throwable failure = backupFailure;
    if (failure == null) {
      return "";
    }
    return ": " + (failure.getMessage() == null ? failure.toString() : failure.getMessage());
  }

  StoreUnavailableException unavailable(String message) {
    return new StoreUnavailableException(message + backupSays(), backupFailure);
  }

  /** Fails if the mode lease has ended: the node does not know any more where the locks are. */
  CompletionStage<Boolean> leased() {
    Optional<RuntimeException> refusal =
        locked(after -> isLeased(now()) ? Optional.empty() : Optional.ofNullable(refusal(now())));
    return refusal.isPresent()
        ? CompletableFuture.failedFuture(refusal.get())
        : CompletableFuture.completedFuture(true);
  }

  /** Has something tried again when the record has changed, or soon. */
  void park(Runnable action) {
    parked.add(action);
  }

  /** Returns what was parked. */
  void unpark(After after) {
    parked.forEach(after::add);
    parked.clear();
  }

  // What becomes of claims. The lock is held.

  /** Gives up what a claim has in one of the stores, in the background. */
  void drop(PairClaim claim, boolean ofPrimary, After after) {
    Part part = claim.part(ofPrimary);
    long names = part.names;
    part.clear();
    if (names != 0) {
      after.add(() -> cancel(ofPrimary, names, claim.name, claim.id));
    }
  }

  /** Gives up a claim, wherever it is; its node is told so by whoever calls this. */
  void giveUp(PairClaim claim, After after) {
    claim.state = PairClaim.State.ENDING;
    claims.forget(claim);
    drop(claim, true, after);
    drop(claim, false, after);
  }

  /** Takes away whatever a claim has under a name that it will not ask for again. */
  void cancel(boolean ofPrimary, long names, String name, ClaimId id) {
    var unused = side(ofPrimary).cancel(new Command.Cancel(StoredNames.of(names, name), id, true));
  }

  void tell(PairClaim claim, Signal signal, After after) {
    Consumer<Signal> listener = listeners.get(claim.id.node());
    if (listener != null) {
      after.add(() -> listener.accept(signal));
    } else if (signal instanceof Signal.Lost lost) {
      after.add(lost.told());
    }
  }

  void nudge() {
    onNudge.run();
  }
}
