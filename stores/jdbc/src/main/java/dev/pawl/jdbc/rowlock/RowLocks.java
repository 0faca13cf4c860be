package dev.pawl.jdbc.rowlock;

import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.schema.Tables;
import dev.pawl.jdbc.strategy.Strategy;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The strategy in which a lock is an open transaction that has locked the name's row, on a
 * connection of its own. The database frees it the moment it sees the connection go.
 *
 * <p>Tokens are kept in another table and committed at once ({@link RowLockLedger}), by whoever
 * holds the row: the transaction of a holder that crashes is rolled back, its token is not (I3).
 */
public final class RowLocks implements Strategy {

  private static final int MOST_ATTEMPTS = 25;

  private final Connections connections;
  private final RowLockLedger ledger;
  private final RowLockCleanUp cleanUp;
  private final RowLockConnections locks;
  private final ScheduledExecutorService timer;
  private final long retentionMicros;
  private final ConcurrentMap<ClaimId, HeldRowLock> held = new ConcurrentHashMap<>();
  private final ConcurrentMap<ClaimId, RowLockAcquire> underWay = new ConcurrentHashMap<>();
  private final EndedClaims ended = new EndedClaims();
  private final Heartbeats heartbeats = new Heartbeats();
  private volatile boolean closed;

  /** Returns the strategy; idle names are kept for the retention. */
  public RowLocks(
      Connections connections,
      Dialect dialect,
      Tables tables,
      Duration retention,
      ScheduledExecutorService timer) {
    this.connections = connections;
    this.ledger =
        new RowLockLedger(connections, dialect, tables.rowLockLedger(), tables.rowLocks());
    this.cleanUp =
        new RowLockCleanUp(connections, dialect, tables.rowLockLedger(), tables.rowLocks());
    this.locks = new RowLockConnections(connections, dialect, tables.rowLocks());
    this.timer = timer;
    this.retentionMicros = retention.toNanos() / 1_000;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.INSPECT, Capability.REGISTERS);
  }

  @Override
  public AcquireReply acquire(Command.Acquire command) {
    ClaimId claim = command.claim();
    if (ended.contains(claim)) {
      return new AcquireReply.Ended();
    }
    RowLockAcquire acquire = new RowLockAcquire();
    RowLockAcquire first = underWay.putIfAbsent(claim, acquire);
    if (first != null) {
      first.awaitEnd();
      return ended.contains(claim)
          ? new AcquireReply.Ended()
          : held(command).orElseGet(() -> new AcquireReply.Busy(ledger.contention(command.name())));
    }
    if (ended.contains(claim)) {
      acquire.giveUp(); // It was cancelled a moment ago, when there was nothing to give up yet.
    }
    try {
      return held(command).orElseGet(() -> take(command, acquire));
    } finally {
      underWay.remove(claim);
      acquire.end();
    }
  }

  /** Answers a copy of an acquire that was granted, as of now. */
  private Optional<AcquireReply> held(Command.Acquire command) {
    Command.Renew renew =
        new Command.Renew(
            command.name(),
            command.claim(),
            command.permits(),
            command.leaseMicros(),
            command.actor());
    if (!held.containsKey(command.claim()) || !(renew(renew) instanceof RenewReply.Held still)) {
      return Optional.empty();
    }
    if (still.inDoubt()) {
      throw new OutcomeUnknownException(
          "no answer on the connection to "
              + connections.describe()
              + " that has locked the row of "
              + command.name()
              + " for claim "
              + command.claim(),
          null);
    }
    return Optional.of(new AcquireReply.Granted(still.grant()));
  }

  private AcquireReply take(Command.Acquire command, RowLockAcquire acquire) {
    for (int attempt = 1; ; attempt++) {
      Optional<HeldRowLock> mine = lock(command, acquire);
      if (ended.contains(command.claim())) {
        mine.ifPresent(this::giveUp);
        return new AcquireReply.Ended();
      }
      if (mine.isPresent()) {
        return granted(mine.get(), command);
      }
      Contention contention = ledger.contention(command.name());
      if (contention.holders() > 0 || attempt == MOST_ATTEMPTS) {
        return new AcquireReply.Busy(contention);
      }
      // Nobody holds it: somebody who lists or cleans up has the row for a moment, or its lock was
      // lost again before it could be entered.
      Connections.pause(attempt);
    }
  }

  private AcquireReply granted(HeldRowLock mine, Command.Acquire command) {
    try {
      expireAfter(mine, command.leaseMicros() * 1_000);
      if (closed) { // It frees what it holds, and may not have seen this one.
        throw locks.closedFailure();
      }
      return new AcquireReply.Granted(mine.grant);
    } catch (RejectedExecutionException e) {
      giveUp(mine);
      throw locks.closedFailure();
    } catch (Throwable e) { // OutOfMemoryError, where no thread can be made: held for nobody.
      giveUp(mine);
      throw e;
    }
  }

  /** Locks the row, and enters it: both, or neither. */
  private Optional<HeldRowLock> lock(Command.Acquire command, RowLockAcquire acquire) {
    Optional<RowLockConnections.Lock> lock = locks.lock(command.name(), command.queue(), acquire);
    if (lock.isEmpty()) {
      return Optional.empty();
    }
    long lockedNanos = System.nanoTime();
    HeldRowLock mine = null;
    try {
      Optional<Grant> grant = ledger.enter(command, lock.get());
      if (grant.isPresent()) {
        // I2: it lasts from behind the reading of the clock, by which its holder counts.
        long grantedNanos = System.nanoTime();
        mine = new HeldRowLock(lock.get(), grant.get(), command, lockedNanos, grantedNanos);
        held.put(command.claim(), mine);
      }
      return Optional.ofNullable(mine);
    } finally {
      if (mine == null) {
        lock.get().free();
      }
    }
  }

  /** I6: a lease that nobody renews ends here, even if the connection is well. */
  private void expireAfter(HeldRowLock mine, long nanos) {
    mine.expiresBy(timer.schedule(() -> expire(mine), nanos, TimeUnit.NANOSECONDS));
  }

  private void expire(HeldRowLock mine) {
    if (mine.endIfDue()) {
      giveUp(mine);
    } else if (held.get(mine.grant.claim()) == mine) {
      try {
        expireAfter(mine, mine.leftNanos());
      } catch (RejectedExecutionException e) {
        // The store is being closed, which frees it.
      }
    }
  }

  /** Ends a grant, all of whose tokens may have been used; false if it was over already. */
  private boolean giveUp(HeldRowLock mine) {
    return release(mine, mine.grant.token() + mine.grant.span() - 1);
  }

  /** Ends a grant; false if it was over already. */
  private boolean release(HeldRowLock mine, long usedToken) {
    if (!held.remove(mine.grant.claim(), mine)) {
      return false;
    }
    mine.end();
    boolean freed;
    try {
      ledger.leave(mine.name, mine.grant, usedToken);
    } finally {
      freed = mine.lock.free(); // Whatever becomes of the ledger.
    }
    return freed;
  }

  @Override
  public List<RenewReply> renew(List<Command.Renew> commands) {
    connections.checkOpen();
    try {
      return heartbeats.make(commands, this::renew, this::inDoubt);
    } catch (RejectedExecutionException e) {
      throw locks.closedFailure();
    }
  }

  private RenewReply inDoubt(Command.Renew command) {
    HeldRowLock mine = held.get(command.claim());
    return mine == null ? new RenewReply.Gone() : new RenewReply.Held(mine.inDoubt());
  }

  private RenewReply renew(Command.Renew command) {
    connections.checkOpen();
    HeldRowLock mine = held.get(command.claim());
    if (mine == null) {
      return new RenewReply.Gone();
    }
    if (!mine.beginBeat()) {
      return inDoubt(command);
    }
    try {
      return renew(command, mine);
    } finally {
      mine.endBeat();
    }
  }

  private RenewReply renew(Command.Renew command, HeldRowLock mine) {
    if (mine.endIfDue()) {
      expire(mine);
      return new RenewReply.Gone();
    }
    long sentNanos = System.nanoTime();
    OptionalLong now = mine.lock.heartbeat();
    if (now.isEmpty()) {
      // The connection is gone, and with it the lock.
      if (held.remove(command.claim(), mine)) {
        mine.end();
        mine.lock.free();
      }
      return new RenewReply.Gone();
    }
    // I2: from behind the reading of the clock, by which its holder counts.
    if (!mine.prolong(System.nanoTime() + command.leaseMicros() * 1_000)) {
      return new RenewReply.Gone(); // It ended meanwhile, and the connection may be another's.
    }
    if (!mine.actor.equals(command.actor())) {
      mine.actor = command.actor();
      ledger.setActor(command.name(), command.actor());
    }
    return new RenewReply.Held(mine.until(now.getAsLong(), sentNanos, command.leaseMicros()));
  }

  @Override
  public ReleaseReply release(Command.Release command) {
    remember(command.claim(), command.late());
    HeldRowLock mine = held.get(command.claim());
    return mine != null && release(mine, command.usedToken())
        ? ReleaseReply.RELEASED
        : ReleaseReply.GONE;
  }

  @Override
  public AcquireReply yieldGrant(Command.Yield command) {
    release(command.release());
    return acquire(command.next());
  }

  @Override
  public CancelReply cancel(Command.Cancel command) {
    remember(command.claim(), command.late());
    HeldRowLock mine = held.get(command.claim());
    return mine != null && giveUp(mine) ? CancelReply.WAS_GRANTED : CancelReply.GONE;
  }

  private void remember(ClaimId claim, boolean late) {
    connections.checkOpen();
    if (late) {
      ended.add(claim);
      RowLockAcquire acquire = underWay.get(claim);
      if (acquire != null) {
        acquire.giveUp();
      }
    }
  }

  @Override
  public EvictReply evict(Command.Evict command) {
    connections.checkOpen();
    throw new UnsupportedByStoreException(
        "a row lock belongs to its connection; end that in the database, or choose"
            + " pawl.strategy=lease-record");
  }

  @Override
  public ResetReply reset(Command.Reset command) {
    connections.checkOpen();
    throw new UnsupportedByStoreException(
        "row locks have no marks; choose pawl.strategy=lease-record");
  }

  @Override
  public Optional<LockInfo> find(String name) {
    return ledger.list(Listing.all(name, 1)).stream()
        .filter(info -> info.name().equals(name))
        .findFirst();
  }

  @Override
  public List<LockInfo> list(Listing listing) {
    return ledger.list(listing);
  }

  @Override
  public Optional<byte[]> cleanUp(byte[] after) {
    ended.forget();
    return cleanUp.slice(after, retentionMicros);
  }

  @Override
  public void close() {
    closed = true; // Before it looks at what is held: whoever enters it later sees that.
    underWay.values().forEach(RowLockAcquire::giveUp);
    heartbeats.close();
    locks.close();
    held.forEach(
        (claim, mine) -> {
          if (held.remove(claim, mine)) {
            mine.end();
            mine.lock.free();
          }
        });
  }
}
