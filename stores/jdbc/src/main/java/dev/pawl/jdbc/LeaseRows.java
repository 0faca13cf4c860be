package dev.pawl.jdbc;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.JdbcProtocol.Attempt;
import dev.pawl.jdbc.RowTable.NamedRow;
import dev.pawl.jdbc.RowTable.Seen;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The strategy with a row for each name. A free name is taken and a name nobody waits for is freed
 * by one statement; everything else is the lock machine over the row: read it, let the machine
 * decide, write it if its version is still the same, or begin again.
 */
class LeaseRows implements Strategy {

  /** How often a row that others keep changing is read again before the store gives up. */
  private static final int MOST_ATTEMPTS = 200;

  private static final int CLEAN_UP_CHUNK = 200;

  final Connections connections;
  final JdbcProtocol protocol;
  final JdbcSignals signals;
  private final long retentionMicros;

  /** Names for which somebody waited when one last asked: the fast statements would be in vain. */
  private final Contended contended = new Contended();

  LeaseRows(
      Connections connections, JdbcProtocol protocol, JdbcSignals signals, JdbcOptions options) {
    this.connections = connections;
    this.protocol = protocol;
    this.signals = signals;
    this.retentionMicros = options.retention().toNanos() / 1_000;
  }

  /** One of the machine's commands. */
  @FunctionalInterface
  interface Rule<C extends Command, R> {
    Step<R> apply(LockState state, C command, long now);
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public AcquireReply acquire(Command.Acquire command) {
    Row row = null;
    if (!contended.contains(command.name())) {
      Attempt attempt = attempt(command);
      if (attempt instanceof Attempt.Granted granted) {
        return new AcquireReply.Granted(granted.grant());
      }
      row = attempt instanceof Attempt.Taken taken ? taken.row() : null;
    }
    return ask(command, command, LockMachine::acquire, row);
  }

  @Override
  public AcquireReply yieldGrant(Command.Yield command) {
    return ask(command, command.next(), LockMachine::yieldGrant, null);
  }

  private Attempt attempt(Command.Acquire command) {
    return connections.write("acquire", c -> protocol.acquire(c, command));
  }

  private <C extends Command> AcquireReply ask(
      C command, Command.Acquire next, Rule<C, AcquireReply> rule, @Nullable Row given) {
    AcquireReply reply = turn(command, rule, next, given);
    if (reply instanceof AcquireReply.Granted) {
      signals.onSettled(next.claim());
    }
    return reply;
  }

  @Override
  public ReleaseReply release(Command.Release command) {
    if (!command.late()
        && !contended.contains(command.name())
        && connections.write("release", c -> free(c, command))) {
      return ReleaseReply.RELEASED;
    }
    return turn(command, LockMachine::release, null, null);
  }

  boolean free(Connection connection, Command.Release command) throws SQLException {
    return protocol.release(connection, command);
  }

  @Override
  public CancelReply cancel(Command.Cancel command) {
    signals.onSettled(command.claim());
    return turn(command, LockMachine::cancel, null, null);
  }

  @Override
  public EvictReply evict(Command.Evict command) {
    return turn(command, LockMachine::evict, null, null);
  }

  @Override
  public List<RenewReply> renew(List<Command.Renew> commands) {
    return new Renewals(this).renew(commands);
  }

  RenewReply renewOne(Command.Renew command) {
    RenewReply reply = turn(command, LockMachine::renew, null, null);
    if (!(reply instanceof RenewReply.Waiting)) {
      signals.onSettled(command.claim());
    }
    return reply;
  }

  /**
   * Lets the machine decide over the row, until what it decided could be written.
   *
   * @param next what the command asks for, if it asks: a name without a row is taken by the fast
   *     statement, whose clock is read when the row is made (I3)
   * @param given the row as it was just read; or nothing
   */
  private <C extends Command, R> R turn(
      C command, Rule<C, R> rule, Command.@Nullable Acquire next, @Nullable Row given) {
    Row row = given;
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      if (row == null) {
        row = connections.read("read", c -> protocol.rows.read(c, command.name()));
      }
      if (!row.exists() && command instanceof Command.Yield yield && yield.release().late()) {
        turn(yield.release(), LockMachine::release, null, row); // Which is then remembered.
        row = null;
        continue;
      }
      if (!row.exists() && next != null) {
        Attempt taken = attempt(next);
        if (taken instanceof Attempt.Granted granted) {
          @SuppressWarnings("unchecked") // Whoever asks is answered with an AcquireReply.
          R reply = (R) new AcquireReply.Granted(granted.grant());
          return reply;
        }
        row = taken instanceof Attempt.Taken held ? held.row() : null;
        continue;
      }
      Step<R> step = rule.apply(row.state(), command, row.nowMicros());
      if (step.state().equals(row.state()) || write(command.name(), row, step)) {
        settle(command.name(), row, step, next == null ? null : next.claim());
        return step.reply();
      }
      row = null;
      Connections.pause(Math.min(attempt, 4));
    }
    throw new StoreUnavailableException(
        connections.describe()
            + ": others changed the row of \""
            + command.name()
            + "\" each of the "
            + MOST_ATTEMPTS
            + " times it was to be written (nothing was changed)",
        null);
  }

  /** Writes what a turn made of a row; false if the row has changed meanwhile. */
  boolean write(String name, Row row, Step<?> step) {
    List<JdbcSignals.Message> messages = signals.messages(step.signals());
    return connections.write(
        "update",
        c ->
            row.exists()
                ? signals.update(c, protocol.rows, name, row.version(), step.state(), messages)
                : protocol.rows.insert(c, name, row.nowMicros(), step.state()));
  }

  /** Tells whoever is to be told, once it is written. */
  void settle(String name, Row row, Step<?> step, @Nullable ClaimId asking) {
    if (!step.state().queue().isEmpty()) {
      contended.add(name);
    } else if (asking != null) {
      contended.remove(name);
    }
    signals.deliver(step.signals());
    if (asking != null) {
      for (LockState.Waiter waiter : step.state().queue()) {
        if (waiter.claim().equals(asking)) {
          signals.onWaiting(name, asking, row.version() + 1);
        }
      }
    }
  }

  @Override
  public Optional<LockInfo> find(String name) {
    Row row = connections.read("find", c -> protocol.rows.read(c, name));
    return row.exists()
        ? Optional.of(LockMachine.describe(name, row.state(), row.nowMicros()))
        : Optional.empty();
  }

  @Override
  public List<LockInfo> list(String prefix, int limit) {
    List<NamedRow> rows = connections.read("list", c -> protocol.rows.list(c, prefix, limit));
    return rows.stream()
        .map(each -> LockMachine.describe(each.name(), each.row().state(), each.row().nowMicros()))
        .toList();
  }

  @Override
  public void cleanUp() {
    List<Seen> idle =
        connections.read("clean-up", c -> protocol.rows.idle(c, retentionMicros, CLEAN_UP_CHUNK));
    for (Seen each : idle) {
      connections.write("clean-up", c -> protocol.rows.delete(c, each.name(), each.version()));
    }
    if (idle.size() == CLEAN_UP_CHUNK && !connections.isClosed()) {
      cleanUp();
    }
  }

  @Override
  public void close() {
    signals.close();
  }
}
