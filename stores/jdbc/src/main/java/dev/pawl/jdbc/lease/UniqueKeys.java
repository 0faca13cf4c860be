package dev.pawl.jdbc.lease;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.wake.Signals;
import dev.pawl.machine.Step;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The strategy in which a record means that a name is held: {@code INSERT} takes it, {@code DELETE}
 * frees it, and whoever comes next takes over an expired one. There is no queue: a claim that wants
 * to wait is told that the name is busy, and asks again.
 *
 * <p>It uses the records of {@link LeaseRecords}, so that nodes of either strategy exclude each
 * other.
 *
 * <p>The token of an {@code INSERT} is the clock at its beginning. It must be higher than that of
 * everybody who took the name and freed it before it came through (I3): so a record is deleted only
 * if it was granted before any statement began that may still be under way. One that was granted
 * later is freed as a lease record is, and cleared away when it has been idle for as long.
 */
public final class UniqueKeys extends LeaseRecords {

  private final long underWayMicros;

  /** Returns the strategy on that table; no statement is under way for longer than that. */
  public UniqueKeys(Connections connections, LeaseTable table, Signals signals, Duration underWay) {
    super(connections, table, signals, underWay);
    this.underWayMicros = underWay.toNanos() / 1_000;
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.INSPECT, Capability.EVICT, Capability.REGISTERS);
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
    return shortcuts.releaseByDelete(connection, command, underWayMicros)
        || super.free(connection, command);
  }

  @Override
  boolean write(Connection connection, String name, LeaseRecord record, Step<?> step)
      throws SQLException {
    return (record.exists() && step.state().isForgettable(record.nowMicros() - underWayMicros))
        ? table.delete(connection, name, record.version())
        : super.write(connection, name, record, step);
  }
}
