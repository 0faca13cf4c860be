package dev.pawl.degrade;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.Change;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.degrade.protocol.Warden;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Two stores behind one: the locks are in the primary, and move to the backup while the primary is
 * down. How that is done is told in {@code docs/decisions/0019-a-primary-and-its-backup.md}.
 */
public final class PairStore implements PairedStore {

  private final PairState state;
  private final ModeRegister register;
  private final Granting granting;
  private final Renewing renewing;
  private final Ending ending;
  private final Acquiring acquiring;
  private final Keeper keeper;
  private final Stance stance;
  private final Looking looking;
  private final Opening opening;
  private final boolean looksOnly;
  private final String describe;
  private final Map<String, List<Subscription>> subscriptions = new ConcurrentHashMap<>();
  private volatile boolean closed;

  PairStore(
      Surroundings world,
      String node,
      PairOptions options,
      Stores stores,
      Opening opening,
      boolean looksOnly) {
    Side primary = opening.primary();
    Side backup = opening.backup();
    this.opening = opening;
    this.looksOnly = looksOnly;
    this.describe = opening.describe();
    this.state =
        new PairState(
            node,
            world,
            primary,
            backup,
            new Warden(node, options.votes(), stores, options.modeLease().toNanos()));
    this.register = new ModeRegister(new SideRegisters(backup, true, () -> false), stores);
    this.granting = new Granting(state, this::lookAgain);
    this.renewing = new Renewing(state, granting);
    this.ending = new Ending(state);
    this.acquiring = new Acquiring(state, granting, ending);
    this.keeper =
        new Keeper(
            state,
            register,
            renewing,
            new PrimaryWatch(primary, options.deadAfter().toNanos()),
            options);
    this.stance = new Stance(state, register, keeper);
    this.looking = new Looking(state, capabilities());
    opening.onOpened(this::onPrimaryOpened);
  }

  private CompletionStage<?> lookAgain() {
    return keeper.look();
  }

  /**
   * Opens a pair of two stores, which are closed with it.
   *
   * @throws IllegalArgumentException if these two cannot be a pair, or are not the pair that other
   *     nodes use
   * @throws dev.pawl.StoreUnavailableException if the backup does not answer
   */
  public static PairStore open(LockStore primary, LockStore backup, PairOptions options) {
    return open(() -> primary, backup, options);
  }

  /** Opens a pair whose primary may be down: it is opened when it is there. */
  static PairStore open(Supplier<LockStore> primary, LockStore backup, PairOptions options) {
    Surroundings world = Surroundings.ofThisProcess();
    Opening opening = new Opening(world, primary, backup, options);
    try {
      Stores stores = opening.identify();
      PairStore pair = new PairStore(world, Opening.nodeId(), options, stores, opening, false);
      try {
        pair.start();
        return pair;
      } catch (RuntimeException e) {
        pair.keeper.stop();
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
    Surroundings world = Surroundings.ofThisProcess();
    Opening opening = new Opening(world, primary, backup, options);
    try {
      Stores stores = opening.recorded();
      PairStore pair = new PairStore(world, Opening.nodeId(), options, stores, opening, true);
      Identity.await(pair.keeper.look(), backup.describe());
      return pair;
    } catch (RuntimeException | Error e) {
      opening.close();
      world.shutdown().run();
      throw e;
    }
  }

  /** Has the node listed, and waits for it. */
  private void start() {
    keeper.start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!state.locked(
        after -> state.isLeased(state.now()) && state.clock.isRead() && isCeilingSet())) {
      String refusal = keeper.refusal();
      if (refusal != null) {
        throw new IllegalArgumentException(refusal);
      }
      if (System.nanoTime() - end > 0) {
        throw new StoreUnavailableException(
            "the backup " + opening.backupName() + " did not list this node within 10 s", null);
      }
      java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
    }
  }

  private boolean isCeilingSet() {
    ModeRecord seen = state.record();
    return seen != null && seen.tokens().ceiling() != 0;
  }

  /** Begins without waiting for anything, as a simulation does. */
  void begin() {
    keeper.start();
  }

  PairState state() {
    return state;
  }

  // Signals.

  private void onPrimaryOpened(LockStore store) {
    state.listeners.keySet().forEach(node -> subscribe(store, true, node));
  }

  private void subscribe(LockStore store, boolean isPrimary, String node) {
    Subscription made = store.subscribe(node, signal -> renewing.onSignal(isPrimary, node, signal));
    subscriptions.computeIfAbsent(node, key -> new ArrayList<>()).add(made);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    state.listeners.put(node, listener);
    LockStore primary = state.primary.store();
    LockStore backup = state.backup.store();
    if (primary != null) {
      subscribe(primary, true, node);
    }
    if (backup != null) {
      subscribe(backup, false, node);
    }
    return () -> {
      state.listeners.remove(node, listener);
      List<Subscription> made = subscriptions.remove(node);
      if (made != null) {
        made.forEach(Subscription::close);
      }
    };
  }

  // Commands.

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return closed ? refusal() : acquiring.acquire(command);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return closed ? refusal() : renewing.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return closed ? refusal() : ending.release(command);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return closed ? refusal() : acquiring.yieldGrant(command);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return closed ? refusal() : ending.cancel(command);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return closed ? refusal() : looked().thenCompose(seen -> looking.evict(command));
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return closed ? refusal() : looked().thenCompose(seen -> looking.reset(command));
  }

  private <T> CompletionStage<T> refusal() {
    return CompletableFuture.failedFuture(
        new StoreUnavailableException("the pair of stores is closed", null));
  }

  // What is known.

  /** Who keeps no mode lease has to read the record to know where the locks are. */
  private CompletionStage<?> looked() {
    return looksOnly ? keeper.look() : CompletableFuture.completedFuture(true);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return closed ? refusal() : looked().thenCompose(seen -> looking.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return closed ? refusal() : looked().thenCompose(seen -> looking.list(listing));
  }

  @Override
  public CompletionStage<PairStatus> status() {
    return closed ? refusal() : stance.status();
  }

  @Override
  public CompletionStage<PairStatus> move(
      PairStatus seen, PairStatus.Mode to, String by, String reason) {
    return closed ? refusal() : stance.move(seen, to, by, reason);
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    if (closed) {
      return refusal();
    }
    Optional<Long> known =
        state.locked(
            after ->
                state.clock.isRead()
                    ? Optional.of(state.clock.micros(state.now()))
                    : Optional.empty());
    return known.isPresent()
        ? CompletableFuture.completedFuture(known.get())
        : state.backup.call(store -> store.nowMicros());
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return findings(state.primary, "primary")
        .thenCombine(
            findings(state.backup, "backup"),
            (ofPrimary, ofBackup) -> {
              List<Finding> all = new ArrayList<>(ofPrimary);
              all.addAll(ofBackup);
              return all;
            })
        .thenCombine(
            status(),
            (ofBoth, status) -> {
              List<Finding> all = new ArrayList<>(PairFindings.of(status));
              all.addAll(ofBoth);
              return all;
            });
  }

  private static CompletionStage<List<Finding>> findings(Side side, String what) {
    return side.call(store -> store.examine())
        .thenApply(
            found ->
                found.stream()
                    .map(f -> new Finding(f.level(), what + ": " + f.what(), f.why(), f.remedy()))
                    .toList())
        .exceptionally(
            error ->
                List.of(
                    Finding.warning(
                        what + ": it does not answer",
                        "one of the two stores is enough only for as long as it is well",
                        "look at it")));
  }

  @Override
  public Optional<String> mode() {
    return state.locked(
        after ->
            Optional.ofNullable(state.record())
                .map(seen -> seen.mode().name().toLowerCase(Locale.ROOT)));
  }

  @Override
  public String describe() {
    return describe;
  }

  @Override
  public Set<Capability> capabilities() {
    Set<Capability> both = EnumSet.noneOf(Capability.class);
    LockStore backup = state.backup.store();
    LockStore primary = state.primary.store();
    both.addAll(backup == null ? Set.of() : backup.capabilities());
    if (primary != null) {
      both.retainAll(primary.capabilities());
    }
    both.add(Capability.REGISTERS);
    return both;
  }

  @Override
  public String shard(String name) {
    return state.locked(
        after -> {
          ModeRecord seen = state.record();
          LockStore store = seen == null ? null : state.side(PairState.isPrimary(seen)).store();
          return seen == null || store == null
              ? ""
              : store.shard(StoredNames.of(PairState.names(seen, PairState.isPrimary(seen)), name));
        });
  }

  @Override
  public Journal journal() {
    return new SideJournal(state.backup, () -> closed);
  }

  @Override
  public Registers registers() {
    return new SideRegisters(state.backup, false, () -> closed);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    keeper.stop();
    if (!looksOnly) {
      leave();
    }
    subscriptions.values().forEach(made -> made.forEach(Subscription::close));
    opening.close();
    state.world.shutdown().run();
  }

  /** Has the node taken off the list, so that nobody waits for it; not for long. */
  private void leave() {
    boolean holds =
        state.locked(
            after ->
                state.claims().stream()
                    .anyMatch(c -> c.state == State.HELD || c.state == State.LOST));
    if (holds) {
      return; // It is waited for as if it had died.
    }
    Change.Leave leave = new Change.Leave(state.node);
    try {
      register
          .read()
          .thenCompose(seen -> leave(seen, leave))
          .toCompletableFuture()
          .orTimeout(2, TimeUnit.SECONDS)
          .join();
    } catch (RuntimeException e) {
      // Whoever switches waits for its mode lease.
    }
  }

  private CompletionStage<Boolean> leave(ModeRegister.Seen seen, Change.Leave leave) {
    if (seen.record().member(state.node).isEmpty()) {
      return CompletableFuture.completedFuture(true);
    }
    return register
        .change(seen, leave)
        .thenCompose(
            outcome ->
                outcome instanceof ModeRegister.Overtaken overtaken
                    ? leave(overtaken.now(), leave)
                    : CompletableFuture.completedFuture(true));
  }
}
