package dev.pawl.jdbc;

import dev.pawl.LockInfo;
import dev.pawl.jdbc.JdbcProtocol.Attempt;
import dev.pawl.jdbc.RowTable.NamedRow;
import dev.pawl.jdbc.RowTable.Seen;
import dev.pawl.jdbc.RowTurns.Rule;
import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The strategy with a row for each name. A free name is taken and a name nobody waits for is freed
 * by one statement; everything else is the lock machine over the row ({@link RowTurns}).
 */
class LeaseRows implements Strategy {

  /** How often a name whose row comes and goes is asked for before the store gives up. */
  private static final int MOST_ATTEMPTS = 50;

  /** Names for which somebody waited when one last asked: the fast statements would be in vain. */
  private final Contended contended = new Contended();

  final Connections connections;
  final JdbcProtocol protocol;
  final JdbcSignals signals;
  private final RowTurns turns;
  private final long retentionMicros;

  LeaseRows(
      Connections connections, JdbcProtocol protocol, JdbcSignals signals, JdbcOptions options) {
    this.connections = connections;
    this.protocol = protocol;
    this.signals = signals;
    this.turns = new RowTurns(connections, protocol.rows, signals, contended, this::write);
    this.retentionMicros = options.retention().toNanos() / 1_000;
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
    return ask(command, (state, now) -> LockMachine.acquire(state, command, now), row);
  }

  @Override
  public AcquireReply yieldGrant(Command.Yield command) {
    Row row = turns.read(command.name());
    if (!row.exists() && command.release().late()) {
      turns.turn(
          command.name(), (state, now) -> LockMachine.release(state, command.release(), now), row);
      row = null; // There is one now, which remembers the release.
    }
    return ask(command.next(), (state, now) -> LockMachine.yieldGrant(state, command, now), row);
  }

  private Attempt attempt(Command.Acquire command) {
    return connections.write("acquire", c -> protocol.acquire(c, command));
  }

  private AcquireReply ask(Command.Acquire command, Rule<AcquireReply> rule, @Nullable Row given) {
    Row row = given;
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      Optional<AcquireReply> reply = turns.over(command.name(), rule, command.claim(), row);
      if (reply.isPresent()) {
        if (reply.get() instanceof AcquireReply.Granted) {
          signals.onSettled(command.claim());
        }
        return reply.get();
      }
      // I3: it is taken by the fast statement, whose clock is read when the row is made.
      Attempt taken = attempt(command);
      if (taken instanceof Attempt.Granted granted) {
        return new AcquireReply.Granted(granted.grant());
      }
      row = taken instanceof Attempt.Taken held ? held.row() : null;
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
    return protocol.release(connection, command);
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

  /** Renews claims on one name, which are few or many, by one turn over its row. */
  List<RenewReply> renew(String name, List<Command.Renew> commands, @Nullable Row given) {
    List<RenewReply> replies =
        turns.turn(name, (state, now) -> renewed(state, commands, now), given);
    for (int i = 0; i < replies.size(); i++) {
      if (!(replies.get(i) instanceof RenewReply.Waiting)) {
        signals.onSettled(commands.get(i).claim());
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

  /** Writes what a turn made of a row; false if the row has changed meanwhile. */
  boolean write(Connection connection, String name, Row row, Step<?> step) throws SQLException {
    return row.exists()
        ? signals.update(
            connection,
            protocol.rows,
            name,
            row.version(),
            step.state(),
            signals.messages(step.signals()))
        : protocol.rows.insert(connection, name, row.nowMicros(), step.state());
  }

  @Override
  public Optional<LockInfo> find(String name) {
    Row row = connections.read("find", c -> protocol.rows.read(c, name));
    return row.exists()
        ? Optional.of(LockMachine.describe(name, row.state(), row.nowMicros()))
        : Optional.empty();
  }

  @Override
  public List<LockInfo> list(Listing listing) {
    List<LockInfo> found = new ArrayList<>();
    Optional<String> after = Optional.empty();
    while (true) {
      Optional<String> last = after;
      List<NamedRow> rows = connections.read("list", c -> protocol.rows.list(c, listing, last));
      for (NamedRow each : rows) {
        LockInfo info =
            LockMachine.describe(each.name(), each.row().state(), each.row().nowMicros());
        // A row also lives on for claims that have ended, so that there may be less than asked for.
        if (listing.admits(info) && found.size() < listing.limit()) {
          found.add(info);
        }
      }
      if (found.size() == listing.limit() || rows.size() < listing.limit()) {
        return found;
      }
      after = Optional.of(rows.get(rows.size() - 1).name());
    }
  }

  @Override
  public Optional<byte[]> cleanUp(byte[] after) {
    RowTable.Slice slice =
        connections.read("clean-up", c -> protocol.rows.slice(c, after, retentionMicros));
    for (Seen each : slice.idle()) {
      connections.write("clean-up", c -> protocol.rows.delete(c, each.name(), each.version()));
    }
    return slice.last();
  }

  @Override
  public void close() {
    signals.close();
  }
}
