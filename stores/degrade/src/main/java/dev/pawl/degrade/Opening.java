package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.degrade.record.ModeRegister;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the two stores, and sees to it that they are the right ones. */
final class Opening {

  private static final Logger LOG = LoggerFactory.getLogger(Opening.class);
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final Surroundings world;
  private final Supplier<LockStore> opener;
  private final Supplier<LockStore> backupOpener;
  private final PairOptions options;
  private final Side primary;
  private final Side backup;
  private volatile LockStore backupStore;
  private volatile @Nullable LockStore opened;
  private volatile Consumer<LockStore> listener = store -> {};
  private volatile Optional<String> recorded = Optional.empty();
  private volatile Optional<Set<Capability>> remembered = Optional.empty();
  private volatile boolean closed;

  Opening(Surroundings world, Supplier<LockStore> primary, LockStore backup, PairOptions options) {
    this(world, primary, backup, () -> backup, options);
  }

  /** Makes it; {@code again} opens the backup once more, where it did not exist yet. */
  Opening(
      Surroundings world,
      Supplier<LockStore> primary,
      LockStore backup,
      Supplier<LockStore> again,
      PairOptions options) {
    this.world = world;
    this.opener = primary;
    this.backupOpener = again;
    this.backupStore = backup;
    this.options = options;
    this.primary = Side.ofPrimary(world);
    this.backup = Side.ofBackup(world, options.backupCalls());
    this.backup.onOpened(backup);
  }

  /** A pair of stores that are there and are known to be the right ones. */
  static Opening of(Surroundings world, LockStore primary, LockStore backup, PairOptions options) {
    Opening opening = new Opening(world, () -> primary, backup, options);
    opening.opened = primary;
    opening.primary.onOpened(primary);
    return opening;
  }

  Side primary() {
    return primary;
  }

  Side backup() {
    return backup;
  }

  void onOpened(Consumer<LockStore> action) {
    listener = action;
  }

  String backupName() {
    return backupStore.describe();
  }

  String describe() {
    LockStore store = opened;
    String known = recorded.map(Stores::address).orElse("a primary that is down");
    return (store == null ? known : store.describe()) + " | " + backupStore.describe();
  }

  /** Returns what both stores can do; of a primary that is down, what it could do before. */
  Set<Capability> capabilities() {
    LockStore store = opened;
    Set<Capability> both = EnumSet.noneOf(Capability.class);
    both.addAll(backupStore.capabilities());
    if (store != null) {
      both.retainAll(store.capabilities());
    } else {
      remembered.ifPresent(both::retainAll);
    }
    both.add(Capability.REGISTERS);
    return both;
  }

  static String nodeId() {
    String host = System.getenv("HOSTNAME");
    if (host == null || host.isBlank()) {
      try {
        host = InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        host = "localhost";
      }
    }
    return host.replaceAll("[^A-Za-z0-9._-]", "-")
        + ":"
        + ProcessHandle.current().pid()
        + ":"
        + UUID.randomUUID().toString().substring(0, 8);
  }

  private Optional<ModeRecord> record() {
    ModeRegister register =
        new ModeRegister(new SideRegisters(backup, true, () -> false), new Stores("", "", 0));
    ModeRegister.Seen seen = Identity.await(register.read(), backupStore.describe());
    return seen.register().value().isPresent() ? Optional.of(seen.record()) : Optional.empty();
  }

  /** Returns which stores the record is about, without writing anything. */
  Stores recorded() {
    Optional<ModeRecord> record = record();
    tryOpen();
    LockStore store = opened;
    if (store != null) {
      primary.onOpened(store);
    } else if (backupStore.capabilities().contains(Capability.REGISTERS)) {
      remembered = PrimaryAbilities.read(backupStore);
    }
    lookLater();
    return record
        .map(ModeRecord::stores)
        .orElseGet(
            () ->
                new Stores(
                    "- " + (store == null ? "" : store.describe()),
                    "- " + backupStore.describe(),
                    options.modeLease().toMillis()));
  }

  /**
   * Returns which stores these are; a primary that is down is taken for the one of the record, and
   * looked at when it is there.
   */
  Stores identify() {
    if (!backupStore.capabilities().contains(Capability.REGISTERS)) {
      throw new IllegalArgumentException(
          backupStore.describe()
              + " cannot be the backup of a pair: it has no registers, which the mode is kept in;"
              + " these have: "
              + Capability.REGISTERS.where());
    }
    Identity.checkUnsigned(backupStore);
    Optional<ModeRecord> record = record();
    recorded = record.map(seen -> seen.stores().primary());
    String second = Identity.ofBackup(backupStore, record.map(seen -> seen.stores().backup()));
    RuntimeException failure = tryOpen();
    LockStore store = opened;
    if (store == null) {
      if (recorded.isEmpty()) {
        throw new StoreUnavailableException(
            "this pair was never used, and its primary cannot be reached: start it once with both"
                + " stores there",
            failure);
      }
      LOG.warn("the primary of the pair cannot be reached: {}", String.valueOf(failure));
      remembered = PrimaryAbilities.read(backupStore);
      retryLater();
      return new Stores(recorded.get(), second, options.modeLease().toMillis());
    }
    String first = Identity.ofPrimary(store, recorded);
    if (first.equals(second)) {
      throw new IllegalArgumentException(
          "both stores of the pair are " + store.describe() + "; the backup has to be another one");
    }
    recorded = Optional.of(first);
    PrimaryAbilities.write(backupStore, store.capabilities());
    Identity.sign(store, backupStore.describe());
    primary.onOpened(store);
    return new Stores(first, second, options.modeLease().toMillis());
  }

  private @Nullable RuntimeException tryOpen() {
    try {
      LockStore store = opener.get();
      opened = store;
      return null;
    } catch (StoreUnavailableException e) {
      primary.onUnreachable(String.valueOf(e.getMessage()));
      return e;
    }
  }

  /** Does it when some time has passed, on a thread that may wait; it is given up if closed. */
  private void later(Runnable task) {
    world
        .timer()
        .in(
            RETRY_NANOS,
            () -> {
              try {
                world.work().execute(task);
              } catch (RejectedExecutionException e) {
                LOG.debug("closed before the primary of the pair was there", e);
              } catch (Throwable e) { // There is no thread for it just now.
                later(task);
              }
            });
  }

  private void retryLater() {
    later(this::retry);
  }

  private void retry() {
    if (closed) {
      return;
    }
    try {
      LockStore store = opened;
      if (store == null) {
        store = opener.get();
        opened = store;
        if (closed) {
          store.close(); // Whoever closed the pair may not have seen it.
          return;
        }
      }
      Identity.ofPrimary(store, recorded);
      Identity.sign(store, backupStore.describe());
      listener.accept(store);
      primary.onOpened(store);
      listener.accept(store); // Whoever has come meanwhile saw no primary.
      LOG.info("the primary of the pair is there: {}", store.describe());
    } catch (IllegalArgumentException e) {
      LOG.error("the primary of the pair is not used: {}", e.getMessage());
      primary.onUnreachable(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) { // An Error, too: a driver that finds no thread.
      primary.onUnreachable(String.valueOf(e.getMessage()));
      retryLater();
    }
  }

  /** Whoever only looks creates neither store, and waits until both are there. */
  private void lookLater() {
    if (isMissing(opened) || isMissing(backupStore)) {
      later(this::lookAgain);
    }
  }

  private static boolean isMissing(@Nullable LockStore store) {
    return store == null || store instanceof AbsentStore;
  }

  private void lookAgain() {
    try {
      lookForPrimary();
    } catch (RuntimeException | Error e) {
      LOG.debug("the primary of the pair is not there", e);
      primary.onUnreachable(String.valueOf(e.getMessage()));
    }
    try {
      lookForBackup();
    } catch (RuntimeException | Error e) {
      LOG.debug("the backup of the pair is not there", e);
    }
    if (!closed) {
      lookLater();
    }
  }

  private void lookForPrimary() {
    LockStore before = opened;
    LockStore found = find(before, opener);
    if (found == null) {
      return;
    }
    try {
      listener.accept(found);
    } catch (RuntimeException | Error e) {
      found.close(); // It is opened again.
      throw e;
    }
    opened = found;
    primary.onOpened(found);
    replaced(before, found);
    listener.accept(found); // Whoever has come meanwhile saw the one before.
  }

  private void lookForBackup() {
    LockStore before = backupStore;
    LockStore found = find(before, backupOpener);
    if (found != null) {
      backupStore = found;
      backup.onOpened(found);
      replaced(before, found);
    }
  }

  private void replaced(@Nullable LockStore before, LockStore now) {
    discard(before);
    if (closed) { // By somebody who may have seen either; a store may be closed twice.
      now.close();
    }
  }

  /** Opens a store that is missing; null if it is missing still. */
  private @Nullable LockStore find(@Nullable LockStore before, Supplier<LockStore> way) {
    if (closed || !isMissing(before)) {
      return null;
    }
    LockStore store = way.get();
    if (before == null || !isMissing(store)) {
      return store;
    }
    if (store != before) {
      store.close();
    }
    return null;
  }

  private static void discard(@Nullable LockStore store) {
    if (store != null) {
      store.close();
    }
  }

  /** The primary is back, perhaps without its data: it gets its id and the sign again. */
  void restore() {
    LockStore store = primary.store();
    if (store != null && recorded.isPresent()) {
      try {
        world.work().execute(() -> restore(store, recorded.get()));
      } catch (RejectedExecutionException e) {
        LOG.debug("closed before the sign of the pair was left in its primary", e);
      }
    }
  }

  private void restore(LockStore store, String known) {
    try {
      Identity.restore(store, known, backupStore.describe());
    } catch (RuntimeException e) {
      LOG.warn("the sign of the pair could not be left in its primary: {}", e.getMessage());
    }
  }

  void close() {
    closed = true;
    discard(opened);
    backupStore.close();
  }
}
