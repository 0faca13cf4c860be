package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Standing;
import dev.pawl.degrade.protocol.Tokens;
import dev.pawl.degrade.protocol.Warden;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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

  /** An ending that was not answered for so long is left to its lease. */
  private static final long FORGOTTEN_NANOS = 120_000_000_000L;

  /** For longer than that nothing is parked or under way. */
  private static final long ENDED_NANOS = 30_000_000_000L;

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
  private final Map<ClaimId, PairClaim> claims = new HashMap<>();
  final Map<String, Consumer<Signal>> listeners = new ConcurrentHashMap<>();

  /** The highest token that the node needs to be believed. */
  private long wantedCeiling;

  /** Whether the node may have said that all it holds is in both stores, of this return. */
  private boolean readyTold;

  /** Claims that their node has given up, of which a copy may still be under way here. */
  private final Map<ClaimId, Long> ended = new LinkedHashMap<>();

  /** What waits until the record is another one. */
  private final List<Runnable> parked = new ArrayList<>();

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
      return new StoreUnavailableException(
          "the pair's backup has not answered for a mode lease, and without it nobody may count on"
              + " a lock; look at the backup",
          null);
    }
    return seen.mode() == Mode.LEAVING
        ? new StoreUnavailableException(
            "the primary is being left for the backup (" + seen.reason() + "); ask again soon",
            null)
        : null;
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

  // Claims. The lock is held.

  @Nullable PairClaim claim(ClaimId id) {
    return claims.get(id);
  }

  PairClaim claimOf(Command.Acquire command) {
    PairClaim claim =
        claims.computeIfAbsent(command.claim(), id -> new PairClaim(id, command.name()));
    if (claim.asked == null) {
      claim.permits = command.permits();
    }
    claim.asked = command;
    return claim;
  }

  /** The node has given a claim up: nothing is to be asked for by it any more. */
  void onEnded(ClaimId id, long now) {
    ended.put(id, now);
    ended.values().removeIf(since -> now - since > ENDED_NANOS);
  }

  boolean isEnded(ClaimId id) {
    return ended.containsKey(id);
  }

  void forget(PairClaim claim) {
    claims.remove(claim.id, claim);
  }

  List<PairClaim> claims() {
    return List.copyOf(claims.values());
  }

  int size() {
    return claims.size();
  }

  /** Gives up what a claim has in one of the stores, in the background. */
  void drop(PairClaim claim, boolean ofPrimary, After after) {
    Part part = claim.part(ofPrimary);
    long names = part.names;
    part.clear();
    if (names != 0) {
      after.add(() -> cancel(ofPrimary, names, claim.name, claim.id));
    }
  }

  /** Takes away whatever a claim has under a name that it will not ask for again. */
  void cancel(boolean ofPrimary, long names, String name, ClaimId id) {
    var unused =
        side(ofPrimary)
            .call(store -> store.cancel(new Command.Cancel(StoredNames.of(names, name), id, true)));
  }

  // What the node may count on. The lock is held.

  /** Returns whether all that ran under a lease that is lost has been told. */
  boolean isIdle() {
    return claims.values().stream().noneMatch(claim -> claim.state == State.LOST);
  }

  /** Returns whether all that is held is in both stores. */
  boolean isReady() {
    ModeRecord seen = record();
    return seen != null
        && claims.values().stream()
            .noneMatch(
                c -> c.state == State.HELD && (!c.footing().isReady(seen) || isInDoubt(c, seen)));
  }

  /** Its node may count on it for longer than the primary has it, as far as is known. */
  private boolean isInDoubt(PairClaim claim, ModeRecord seen) {
    boolean outlasts = claim.toldNanos - now() > 0 && claim.toldNanos - trusted(claim.primary) > 0;
    return seen.mode() == Mode.RETURNING && (claim.primary.inDoubt || outlasts);
  }

  /**
   * Tells whether the primary has lost what the node has said to hold there: the locks may have
   * returned, and another may have it.
   */
  boolean isTakenAway(PairClaim claim) {
    ModeRecord seen = record();
    return seen != null && seen.mode() == Mode.RETURNING && readyTold && !claim.primary.held;
  }

  void onReadySent(boolean ready) {
    readyTold |= ready;
  }

  /** The record has the node's word that it is not ready. */
  void onUnready() {
    readyTold = false;
  }

  long wantedCeiling() {
    return wantedCeiling;
  }

  void want(long token) {
    wantedCeiling = Math.max(wantedCeiling, token + Tokens.HEADROOM);
  }

  /** Until when a claim that holds its name lasts, by the node's clock. */
  long untilNanos(PairClaim claim) {
    ModeRecord seen = record();
    if (seen == null) {
      return now();
    }
    boolean inPrimary = isPrimary(seen);
    long until = trusted(claim.part(inPrimary));
    // Once it was said that all is in both, the locks may have returned before this node knows.
    boolean both =
        seen.mode() == Mode.RETURNING
            && (readyTold || (claim.primary.held && !claim.primary.inDoubt));
    if (both && claim.primary.untilNanos - until < 0) {
      until = trusted(claim.primary);
    }
    return until;
  }

  private static long trusted(Part part) {
    return Part.earlier(part.trustedNanos, part.untilNanos);
  }

  /** Returns the grant of a claim that is held as its node is told of it. */
  Grant grant(PairClaim claim, long baseNanos) {
    long nowMicros = clock.micros(baseNanos);
    long until = untilNanos(claim);
    long lasts = clock.microsBetween(baseNanos, until);
    claim.onTold(Part.earlier(until, warden.standing().untilNanos()));
    long trust = (warden.standing().untilNanos() - baseNanos) / 1_000;
    return new Grant(claim.id, claim.token, claim.span, nowMicros + lasts, nowMicros, trust);
  }

  // What a new record means. The lock is held.

  /** Takes away what the record no longer upholds, and what is left over in the other store. */
  void onRecord(After after) {
    ModeRecord seen = record();
    if (seen == null) {
      return;
    }
    long now = now();
    if (seen.mode() != Mode.RETURNING) {
      readyTold = false;
    }
    boolean leased = isLeased(now);
    for (PairClaim claim : claims()) {
      switch (claim.state) {
        case HELD -> {
          if (!leased || !claim.footing().stands(seen)) {
            lose(claim, leased ? changed(seen) : "the mode lease of the pair has ended", after);
          } else {
            tidy(claim, seen, after);
          }
        }
        case WAITING -> {
          if (!isAsked(claim, seen)) {
            forget(claim);
            tell(claim, new Signal.Lost(claim.name, claim.id, changed(seen)), after);
          }
        }
        case ASKING -> {
          if (!isAsked(claim, seen)) {
            fail(claim, seen, after);
          }
        }
        case ENDING -> {
          if (!isAsked(claim, seen) || now - claim.endingNanos > FORGOTTEN_NANOS) {
            forget(claim);
          }
        }
        case LOST -> {}
      }
    }
  }

  private static boolean isAsked(PairClaim claim, ModeRecord seen) {
    return (claim.primary.names != 0 && claim.primary.names == names(seen, true))
        || (claim.backup.names != 0 && claim.backup.names == names(seen, false));
  }

  /** The store that has not the locks any more, or not again, has no part in it. */
  private void tidy(PairClaim claim, ModeRecord seen, After after) {
    if (isPrimary(seen) && claim.backup.names != 0) {
      drop(claim, false, after);
    } else if (seen.mode() == Mode.BACKUP && claim.primary.names != 0) {
      drop(claim, true, after);
    }
  }

  private void fail(PairClaim claim, ModeRecord seen, After after) {
    List<CompletableFuture<?>> pending = List.copyOf(claim.pending);
    claim.pending.clear();
    RuntimeException changed = new StoreUnavailableException(changed(seen) + "; ask again", null);
    after.add(() -> pending.forEach(answer -> answer.completeExceptionally(changed)));
  }

  private static String changed(ModeRecord seen) {
    return "the mode of the pair has changed (" + seen.reason() + ")";
  }

  /** Tells the node that it must not count on a claim any more, and waits until it has. */
  private void lose(PairClaim claim, String reason, After after) {
    claim.state = State.LOST;
    tell(claim, new Signal.Lost(claim.name, claim.id, reason, () -> onTold(claim)), after);
  }

  private void onTold(PairClaim claim) {
    run(
        after -> {
          forget(claim);
          drop(claim, true, after);
          drop(claim, false, after);
          after.add(onNudge);
        });
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

  /** Returns which store that is open has what people ask for, and the epoch of its names. */
  boolean looksAtPrimary() {
    ModeRecord seen = record();
    LockStore opened = primary.store();
    return seen != null && opened != null && isPrimary(seen);
  }
}
