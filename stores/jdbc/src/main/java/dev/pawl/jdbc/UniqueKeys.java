package dev.pawl.jdbc;

import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;

/**
 * The strategy in which a row means that a name is held: {@code INSERT} takes it, {@code DELETE}
 * frees it, and whoever comes next takes over an expired one. There is no queue: a claim that wants
 * to wait is told that the name is busy, and asks again.
 *
 * <p>It uses the rows of {@link LeaseRows}, so that nodes of either strategy exclude each other. A
 * row stays behind for a moment if its token is as high as the clock, since the next one must be
 * higher (I3).
 */
final class UniqueKeys extends LeaseRows {

  UniqueKeys(
      Connections connections, JdbcProtocol protocol, JdbcSignals signals, JdbcOptions options) {
    super(connections, protocol, signals, options);
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.INSPECT, Capability.EVICT);
  }

  @Override
  public AcquireReply acquire(Command.Acquire command) {
    return super.acquire(withoutQueue(command));
  }

  @Override
  public AcquireReply yieldGrant(Command.Yield command) {
    return super.yieldGrant(new Command.Yield(command.release(), withoutQueue(command.next())));
  }

  private static Command.Acquire withoutQueue(Command.Acquire command) {
    return new Command.Acquire(
        command.name(),
        command.claim(),
        command.permits(),
        command.capacity(),
        command.leaseMicros(),
        command.span(),
        command.mark(),
        false,
        false,
        command.label(),
        command.actor());
  }

  @Override
  boolean free(Connection connection, Command.Release command) throws SQLException {
    return protocol.releaseByDelete(connection, command) || super.free(connection, command);
  }

  @Override
  boolean write(Connection connection, String name, Row row, Step<?> step) throws SQLException {
    return (row.exists() && step.state().isForgettable(row.nowMicros()))
        ? protocol.rows.delete(connection, name, row.version())
        : super.write(connection, name, row, step);
  }
}
