package dev.pawl.jdbc;

import dev.pawl.StoreUnavailableException;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.ClaimId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock machine over a row: read it, let the machine decide, write it if its version is still
 * the same, or begin again. Where others are faster a few times, the row is locked first, so that
 * everybody has his turn however many there are.
 */
final class RowTurns {

  /** How often a row is written without a lock before it is locked. */
  private static final int MOST_UNLOCKED = 3;

  /** How often a row that comes and goes is read again before the store gives up. */
  private static final int MOST_ATTEMPTS = 50;

  private final Connections connections;
  private final RowTable rows;
  private final JdbcSignals signals;
  private final Contended contended;
  private final Writer writer;

  RowTurns(
      Connections connections,
      RowTable rows,
      JdbcSignals signals,
      Contended contended,
      Writer writer) {
    this.connections = connections;
    this.rows = rows;
    this.signals = signals;
    this.contended = contended;
    this.writer = writer;
  }

  /** What a command, or several, make of the state of a name. */
  @FunctionalInterface
  interface Rule<R> {
    Step<R> apply(LockState state, long nowMicros);
  }

  /** Writes what a turn made of a row; false if the row has changed meanwhile. */
  @FunctionalInterface
  interface Writer {
    boolean write(Connection connection, String name, Row row, Step<?> step) throws SQLException;
  }

  Row read(String name) {
    return connections.read("read", c -> rows.read(c, name));
  }

  /** Takes a turn that asks for nothing; a name without a row gets one if there is need. */
  <R> R turn(String name, Rule<R> rule, @Nullable Row given) {
    Row row = given != null ? given : read(name);
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      Optional<R> reply = row.exists() ? over(name, rule, null, row) : write(name, rule, null, row);
      if (reply.isPresent()) {
        return reply.get();
      }
      Connections.pause(Math.min(attempt, 4));
      row = read(name);
    }
    throw exhausted(name);
  }

  /** Takes a turn over a row that was read; nothing if the row is gone. */
  <R> Optional<R> over(String name, Rule<R> rule, @Nullable ClaimId asking, Row read) {
    Row row = read;
    for (int attempt = 1; attempt <= MOST_UNLOCKED; attempt++) {
      Optional<R> reply = write(name, rule, asking, row);
      if (reply.isPresent()) {
        return reply;
      }
      Connections.pause(attempt);
      row = read(name);
      if (!row.exists()) {
        return Optional.empty();
      }
    }
    return turned(
        name,
        asking,
        c ->
            Connections.inTransaction(
                c,
                t -> {
                  Row locked = rows.lock(t, name);
                  return locked.exists() ? decide(t, name, rule, asking, locked) : Optional.empty();
                }));
  }

  private <R> Optional<R> write(String name, Rule<R> rule, @Nullable ClaimId asking, Row row) {
    Step<R> step = rule.apply(row.state(), row.nowMicros());
    if (step.state().equals(row.state())) {
      settle(name, step, asking);
      return Optional.of(step.reply());
    }
    return turned(name, asking, c -> decide(c, name, (state, now) -> step, asking, row));
  }

  private <R> Optional<Step<R>> decide(
      Connection connection, String name, Rule<R> rule, @Nullable ClaimId asking, Row row)
      throws SQLException {
    Step<R> step = rule.apply(row.state(), row.nowMicros());
    if (asking != null && waits(step, asking)) {
      // Before it is written: from then on it may be granted, and told.
      signals.onWaiting(name, asking, row.version() + 1);
    }
    return writer.write(connection, name, row, step) ? Optional.of(step) : Optional.empty();
  }

  private <R> Optional<R> turned(
      String name, @Nullable ClaimId asking, Connections.Work<Optional<Step<R>>> work) {
    Optional<Step<R>> step = Optional.empty();
    try {
      step = connections.write("update", work);
    } finally {
      if (asking != null && step.isEmpty()) {
        signals.onSettled(asking);
      }
    }
    if (asking != null && step.isPresent() && waits(step.get(), asking)) {
      signals.onWritten(asking);
    }
    step.ifPresent(written -> settle(name, written, asking));
    return step.map(Step::reply);
  }

  private static boolean waits(Step<?> step, ClaimId asking) {
    return step.state().queue().stream().anyMatch(waiter -> waiter.claim().equals(asking));
  }

  /** Tells whoever is to be told, once it is written. */
  private void settle(String name, Step<?> step, @Nullable ClaimId asking) {
    if (!step.state().queue().isEmpty()) {
      contended.add(name);
    } else if (asking != null) {
      contended.remove(name);
    }
    signals.deliver(step.signals());
  }

  StoreUnavailableException exhausted(String name) {
    return new StoreUnavailableException(
        connections.describe()
            + ": the row of \""
            + name
            + "\" came and went each of the "
            + MOST_ATTEMPTS
            + " times it was to be written (nothing was changed); try again",
        null);
  }
}
