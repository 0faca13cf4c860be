package dev.pawl.degrade;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two stores behind one: the locks are in the primary, and move to the backup while the primary is
 * down. How that is done is told in {@code docs/decisions/0019-a-primary-and-its-backup.md}.
 */
public final class PairStore implements PairedStore {

  private final PairState state;
  private final Renewing renewing;
  private final Ending ending;
  private final Acquiring acquiring;
  private final Subscriptions subscriptions;
  private final RecordExchange exchange;
  private final Heartbeat heartbeat;
  private final BackupWatch backupWatch;
  private final Stance stance;
  private final Looking looking;
  private final SignOff signOff;
  private final Opening opening;
  private final boolean looksOnly;
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
    this.state =
        new PairState(
            node,
            world,
            primary,
            backup,
            new Warden(node, options.votes(), stores, options.modeLease().toNanos()));
    ModeRegister register = new ModeRegister(new SideRegisters(backup, true, () -> false), stores);
    Granting granting = new Granting(state, this::look);
    Losing losing = new Losing(state);
    this.renewing = new Renewing(state, new RenewAnswers(state, granting, losing));
    this.ending = new Ending(state);
    this.acquiring = new Acquiring(state, granting, ending);
    this.subscriptions = new Subscriptions(state, new StoreSignals(state, granting, losing));
    PrimaryWatch watch = new PrimaryWatch(primary, options.deadAfter().toNanos());
    this.backupWatch = new BackupWatch(opening.backupName(), options.modeLease().toNanos());
    TokenProbe tokens = new TokenProbe(state);
    ModeChanges changes = new ModeChanges(state, opening::restore);
    this.exchange =
        new RecordExchange(state, register, losing, changes, watch, backupWatch, tokens, options);
    this.heartbeat =
        new Heartbeat(state, losing, granting, watch, backupWatch, tokens, exchange, options);
    this.stance = new Stance(state, register, exchange, changes);
    this.looking = new Looking(state, capabilities());
    this.signOff = new SignOff(state, register);
    if (looksOnly) {
      exchange.stop(); // It would have the node listed.
    }
    opening.onOpened(subscriptions::onPrimaryOpened);
  }

  /**
   * Opens a pair of two stores, which are closed with it.
   *
   * @throws IllegalArgumentException if these two cannot be a pair, or are not the pair that other
   *     nodes use
   * @throws dev.pawl.StoreUnavailableException if the backup does not answer
   */
  public static PairStore open(LockStore primary, LockStore backup, PairOptions options) {
    return Joining.open(() -> primary, backup, options);
  }

  /** Begins without waiting for anything, as a simulation does. */
  void begin() {
    heartbeat.start();
  }

  /** Reads the record. */
  CompletionStage<?> look() {
    return exchange.look();
  }

  /** Returns why the node is not admitted; null if it is, or was not refused yet. */
  @Nullable String refusal() {
    return exchange.refusal();
  }

  /** Ends what goes on in the background, and nothing else. */
  void stop() {
    heartbeat.stop();
  }

  PairState state() {
    return state;
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return subscriptions.subscribe(node, listener);
  }

  // Commands.

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return closed ? refused() : acquiring.acquire(command);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return closed ? refused() : renewing.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return closed ? refused() : ending.release(command);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return closed ? refused() : acquiring.yieldGrant(command);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return closed ? refused() : ending.cancel(command);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return closed ? refused() : looked().thenCompose(seen -> looking.evict(command));
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return closed ? refused() : looked().thenCompose(seen -> looking.reset(command));
  }

  private <T> CompletionStage<T> refused() {
    return CompletableFuture.failedFuture(
        new StoreUnavailableException("the pair of stores is closed", null));
  }

  // What is known.

  /**
   * Who keeps no mode lease has to read the record to know where the locks are; whose mode lease
   * has ended does not know it any more.
   */
  private CompletionStage<?> looked() {
    return looksOnly ? exchange.look() : state.leased();
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return closed ? refused() : looked().thenCompose(seen -> looking.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return closed ? refused() : looked().thenCompose(seen -> looking.list(listing));
  }

  @Override
  public CompletionStage<PairStatus> status() {
    return closed ? refused() : stance.status();
  }

  @Override
  public CompletionStage<PairStatus> move(
      PairStatus seen, PairStatus.Mode to, String by, String reason) {
    return closed ? refused() : stance.move(seen, to, by, reason);
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    if (closed) {
      return refused();
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
    return closed ? refused() : PairFindings.all(status(), state, backupWatch);
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
    return opening.describe();
  }

  @Override
  public Set<Capability> capabilities() {
    return opening.capabilities();
  }

  @Override
  public String shard(String name) {
    Optional<ModeRecord> record = state.locked(after -> Optional.ofNullable(state.record()));
    return record
        .map(
            seen -> {
              boolean inPrimary = PairState.isPrimary(seen);
              long names = PairState.names(seen, inPrimary);
              return state.side(inPrimary).shard(StoredNames.of(names, name));
            })
        .orElse("");
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
    heartbeat.stop();
    if (!looksOnly) {
      signOff.leave();
    }
    subscriptions.close();
    opening.close();
    state.world.shutdown().run();
  }
}
