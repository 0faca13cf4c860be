package dev.pawl.jdbc.lease;

import dev.pawl.LockInfo;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Attempt;
import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.lease.LeaseTurns.Rule;
import dev.pawl.jdbc.strategy.Strategy;
import dev.pawl.jdbc.wake.Changes.Seen;
import dev.pawl.jdbc.wake.Signals;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The strategy with a lease record for each name. A free name is taken and a name nobody waits for
 * is freed by one statement; everything else is the lock machine over the record ({@link
 * LeaseTurns}).
 */
public class LeaseRecords implements Strategy {

  /** How often a name whose record comes and goes is asked for before the store gives up. */
  private static final int MOST_ATTEMPTS = 50;

  /** Names for which somebody waited when one last asked: the fast statements would be in vain. */
  private final Contended contended = new Contended();

  /**
   * Names for which a fast statement is under way. The nodes that come meanwhile, which may be
   * hundreds, share the turn after it, instead of a connection and a wait for the record each.
   */
  private final Contended attempted = new Contended();

  final Connections connections;
  final LeaseTable table;
  final LeaseShortcuts shortcuts;
  final Signals signals;
  private final LeaseTurns turns;
  private final long retentionMicros;

  /** Returns the strategy on that table; idle names are kept for the retention. */
  public LeaseRecords(
      Connections connections, LeaseTable table, Signals signals, Duration retention) {
    this.connections = connections;
    this.table = table;
    this.shortcuts = table.shortcuts();
    this.signals = signals;
    this.turns = new LeaseTurns(connections, table, signals, contended, this::write);
    this.retentionMicros = retention.toNanos() / 1_000;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public AcquireReply acquire(Command.Acquire command) {
    LeaseRecord record = null;
    String name = command.name();
    if (!contended.contains(name) && !attempted.contains(name)) {
      Attempt attempt = attempt(command);
      if (attempt instanceof Attempt.Granted granted) {
        return new AcquireReply.Granted(granted.grant());
      }
      record = attempt instanceof Attempt.Taken taken ? taken.record() : null;
    }
    return ask(command, (state, now) -> LockMachine.acquire(state, command, now), record);
  }

  @Override
  public AcquireReply yieldGrant(Command.Yield command) {
    LeaseRecord record = turns.read(command.name());
    if (command.release().mark().isPresent()) {
      return endOfTick(command, record);
    }
    if (!record.exists() && command.release().late()) {
      turns.turn(
          command.name(),
          (state, now) -> LockMachine.release(state, command.release(), now),
          record);
      record = null; // There is one now, which remembers the release.
    }
    return ask(command.next(), (state, now) -> LockMachine.yieldGrant(state, command, now), record);
  }

  /** Ends a tick; a name without a record had none to end, and must not be taken by a copy (I5). */
  private AcquireReply endOfTick(Command.Yield command, LeaseRecord record) {
    Rule<AcquireReply> rule = (state, now) -> LockMachine.yieldGrant(state, command, now);
    AcquireReply reply =
        turns
            .over(command.name(), rule, command.next().claim(), record)
            .orElseGet(() -> turns.turn(command.name(), rule, null));
    return settled(command.next(), reply);
  }

  private AcquireReply settled(Command.Acquire command, AcquireReply reply) {
    if (reply instanceof AcquireReply.Granted) {
      signals.onSettled(command.claim());
    }
    return reply;
  }

  private Attempt attempt(Command.Acquire command) {
    attempted.add(command.name());
    try {
      return connections.write("acquire", c -> shortcuts.take(c, command));
    } finally {
      attempted.remove(command.name());
    }
  }

  private AcquireReply ask(
      Command.Acquire command, Rule<AcquireReply> rule, @Nullable LeaseRecord given) {
    LeaseRecord record = given;
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      Optional<AcquireReply> reply = turns.over(command.name(), rule, command.claim(), record);
      if (reply.isPresent()) {
        return settled(command, reply.get());
      }
      // I3: it is taken by the fast statement, whose clock is read when the record is made.
      Attempt taken = attempt(command);
      if (taken instanceof Attempt.Granted granted) {
        return new AcquireReply.Granted(granted.grant());
      }
      record = taken instanceof Attempt.Taken held ? held.record() : null;
    }
    throw turns.exhausted(command.name());
  }

  @Override
  public ReleaseReply release(Command.Release command) {
    if (!command.late()
        && !contended.contains(command.name())
        && connections.write("release", c -> free(c, command))) {
      return ReleaseReply.RELEASED;
    }
    return turn(command, (state, now) -> LockMachine.release(state, command, now));
  }

  boolean free(Connection connection, Command.Release command) throws SQLException {
    return shortcuts.release(connection, command);
  }

  @Override
  public CancelReply cancel(Command.Cancel command) {
    signals.onSettled(command.claim());
    return turn(command, (state, now) -> LockMachine.cancel(state, command, now));
  }

  @Override
  public EvictReply evict(Command.Evict command) {
    return turn(command, (state, now) -> LockMachine.evict(state, command, now));
  }

  @Override
  public ResetReply reset(Command.Reset command) {
    return turn(command, (state, now) -> LockMachine.reset(state, command, now));
  }

  @Override
  public List<RenewReply> renew(List<Command.Renew> commands) {
    return new Renewals(this).renew(commands);
  }

  /** Renews claims on one name, which are few or many, by one turn over its record. */
  List<RenewReply> renew(String name, List<Command.Renew> commands, @Nullable LeaseRecord given) {
    List<RenewReply> replies =
        turns.turn(name, (state, now) -> renewed(state, commands, now), given);
    for (int i = 0; i < replies.size(); i++) {
      ClaimId claim = commands.get(i).claim();
      if (replies.get(i) instanceof RenewReply.Waiting waiting) {
        signals.onHeartbeat(claim, waiting.contention().ahead() >= LockMachine.FAR_AHEAD);
      } else {
        signals.onSettled(claim);
      }
    }
    return replies;
  }

  private static Step<List<RenewReply>> renewed(
      LockState before, List<Command.Renew> commands, long now) {
    LockState state = before;
    List<RenewReply> replies = new ArrayList<>(commands.size());
    List<Signal> told = new ArrayList<>();
    for (Command.Renew command : commands) {
      Step<RenewReply> step = LockMachine.renew(state, command, now);
      state = step.state();
      replies.add(step.reply());
      told.addAll(step.signals());
    }
    return new Step<>(state, replies, told);
  }

  private <R> R turn(Command command, Rule<R> rule) {
    return turns.turn(command.name(), rule, null);
  }

  /** Writes what a turn made of a record; false if it has changed meanwhile. */
  boolean write(Connection connection, String name, LeaseRecord record, Step<?> step)
      throws SQLException {
    return record.exists()
        ? table.update(
            connection, name, record.version(), step.state(), signals.notifications(step.signals()))
        : table.insert(connection, name, record.nowMicros(), step.state());
  }

  @Override
  public Optional<LockInfo> find(String name) {
    LeaseRecord record = connections.read("find", c -> table.read(c, name));
    return record.exists()
        ? Optional.of(LockMachine.describe(name, record.state(), record.nowMicros()))
        : Optional.empty();
  }

  @Override
  public List<LockInfo> list(Listing listing) {
    List<LockInfo> found = new ArrayList<>();
    Optional<String> after = Optional.empty();
    while (true) {
      Optional<String> last = after;
      List<LeaseTable.Named> read = connections.read("list", c -> table.list(c, listing, last));
      for (LeaseTable.Named each : read) {
        LockInfo info =
            LockMachine.describe(each.name(), each.record().state(), each.record().nowMicros());
        // A record also lives on for claims that have ended, so that there may be less than asked
        // for.
        if (listing.admits(info) && found.size() < listing.limit()) {
          found.add(info);
        }
      }
      if (found.size() == listing.limit() || read.size() < listing.limit()) {
        return found;
      }
      after = Optional.of(read.get(read.size() - 1).name());
    }
  }

  @Override
  public Optional<byte[]> cleanUp(byte[] after) {
    LeaseTable.Slice slice =
        connections.read("clean-up", c -> table.slice(c, after, retentionMicros));
    for (Seen each : slice.idle()) {
      connections.write("clean-up", c -> table.delete(c, each.name(), each.version()));
    }
    return slice.last();
  }

  @Override
  public void close() {
    signals.close();
  }
}
