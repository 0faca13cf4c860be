package dev.pawl.jdbc.lease;

import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.lease.TurnLines.Turn;
import dev.pawl.jdbc.wake.Signals;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The lock machine over a lease record: read it, let the machine decide, write it if its version is
 * still the same, or begin again. Where others are faster a few times, the record is locked first,
 * so that everybody has his turn however many there are.
 *
 * <p>Commands of this store for one name do not compete for its record: those that come while one
 * is under way are carried out together by the next, with one read and one write ({@link
 * TurnLines}).
 */
final class LeaseTurns {

  /** How often a record is written without a lock before it is locked. */
  private static final int MOST_UNLOCKED = 3;

  /** How often a record that comes and goes is read again before the store gives up. */
  private static final int MOST_ATTEMPTS = 50;

  private final Connections connections;
  private final LeaseTable table;
  private final Signals signals;
  private final Contended contended;
  private final Writer writer;
  private final TurnLines lines = new TurnLines();

  LeaseTurns(
      Connections connections,
      LeaseTable table,
      Signals signals,
      Contended contended,
      Writer writer) {
    this.connections = connections;
    this.table = table;
    this.signals = signals;
    this.contended = contended;
    this.writer = writer;
  }

  /** What a command, or several, make of the state of a name. */
  @FunctionalInterface
  interface Rule<R> {
    Step<R> apply(LockState state, long nowMicros);
  }

  /** Writes what a turn made of a record; false if it has changed meanwhile. */
  @FunctionalInterface
  interface Writer {
    boolean write(Connection connection, String name, LeaseRecord record, Step<?> step)
        throws SQLException;
  }

  LeaseRecord read(String name) {
    return connections.read("read", c -> table.read(c, name));
  }

  /** Takes a turn that asks for nothing; a name without a record gets one if there is need. */
  <R> R turn(String name, Rule<R> rule, @Nullable LeaseRecord given) {
    LeaseRecord record = given;
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      Optional<R> reply = over(name, rule, null, record);
      if (reply.isPresent()) {
        return reply.get();
      }
      record = read(name);
      if (!record.exists()) {
        Optional<Step<R>> step = write(name, rule, List.of(), record);
        if (step.isPresent()) {
          return step.get().reply();
        }
        record = null;
      }
      Connections.pause(Math.min(attempt, 4));
    }
    throw exhausted(name);
  }

  /**
   * Takes a turn over the record of a name, together with whoever else here wants one; nothing if
   * there is no record.
   *
   * @param given the record as it was just read, if it was
   */
  <R> Optional<R> over(
      String name, Rule<R> rule, @Nullable ClaimId asking, @Nullable LeaseRecord given) {
    if (given != null && !given.exists()) {
      return Optional.empty();
    }
    Turn<R> mine = new Turn<>(rule, asking);
    lines.take(name, mine, (turns, first) -> together(name, turns, first ? given : null));
    return mine.reply();
  }

  /** Takes several turns over a record, by one write. */
  private void together(String name, List<Turn<?>> turns, @Nullable LeaseRecord given) {
    List<ClaimId> asking = new ArrayList<>();
    for (Turn<?> turn : turns) {
      if (turn.asking() != null) {
        asking.add(turn.asking());
      }
    }
    Rule<List<Object>> all = (state, now) -> inOrder(turns, state, now);
    Optional<Step<List<Object>>> step =
        written(name, all, asking, given != null ? given : read(name));
    for (int i = 0; step.isPresent() && i < turns.size(); i++) {
      turns.get(i).answer(step.get().reply().get(i));
    }
  }

  private static Step<List<Object>> inOrder(List<Turn<?>> turns, LockState before, long now) {
    LockState state = before;
    List<Object> replies = new ArrayList<>(turns.size());
    List<Signal> told = new ArrayList<>();
    for (Turn<?> turn : turns) {
      Step<?> step = turn.rule().apply(state, now);
      state = step.state();
      replies.add(step.reply());
      told.addAll(step.signals());
    }
    return new Step<>(state, replies, told);
  }

  private <R> Optional<Step<R>> written(
      String name, Rule<R> rule, List<ClaimId> asking, LeaseRecord read) {
    LeaseRecord record = read;
    for (int attempt = 1; attempt <= MOST_UNLOCKED && record.exists(); attempt++) {
      Optional<Step<R>> step = write(name, rule, asking, record);
      if (step.isPresent()) {
        return step;
      }
      Connections.pause(attempt);
      record = read(name);
    }
    if (!record.exists()) {
      return Optional.empty();
    }
    return settled(
        name,
        asking,
        c ->
            Connections.inTransaction(
                c,
                t -> {
                  LeaseRecord locked = table.lock(t, name);
                  return locked.exists() ? decide(t, name, rule, asking, locked) : Optional.empty();
                }));
  }

  private <R> Optional<Step<R>> write(
      String name, Rule<R> rule, List<ClaimId> asking, LeaseRecord record) {
    Step<R> step = rule.apply(record.state(), record.nowMicros());
    if (step.state().equals(record.state())) {
      settle(name, step, asking);
      return Optional.of(step);
    }
    return settled(name, asking, c -> decide(c, name, (state, now) -> step, asking, record));
  }

  private <R> Optional<Step<R>> decide(
      Connection connection, String name, Rule<R> rule, List<ClaimId> asking, LeaseRecord record)
      throws SQLException {
    Step<R> step = rule.apply(record.state(), record.nowMicros());
    for (LockState.Waiter waiter : step.state().queue()) {
      if (asking.contains(waiter.claim())) {
        // Before it is written: from then on it may be granted, and told.
        boolean far = waiter.isFar(record.nowMicros());
        signals.onWaiting(name, waiter.claim(), record.version() + 1, far);
      }
    }
    return writer.write(connection, name, record, step) ? Optional.of(step) : Optional.empty();
  }

  private <R> Optional<Step<R>> settled(
      String name, List<ClaimId> asking, Connections.Work<Optional<Step<R>>> work) {
    Optional<Step<R>> step = Optional.empty();
    try {
      step = connections.write("update", work);
    } finally {
      if (step.isEmpty()) {
        asking.forEach(signals::onSettled);
      }
    }
    step.ifPresent(written -> settle(name, written, asking));
    return step;
  }

  private static boolean waits(Step<?> step, ClaimId asking) {
    return step.state().queue().stream().anyMatch(waiter -> waiter.claim().equals(asking));
  }

  /** Tells whoever is to be told, once it is written. */
  private void settle(String name, Step<?> step, List<ClaimId> asking) {
    for (ClaimId claim : asking) {
      if (waits(step, claim)) {
        signals.onWritten(claim);
      }
    }
    if (!step.state().queue().isEmpty()) {
      contended.add(name);
    } else if (!asking.isEmpty()) {
      contended.remove(name);
    }
    signals.deliver(step.signals());
  }

  StoreUnavailableException exhausted(String name) {
    return new StoreUnavailableException(
        connections.describe()
            + ": the record of \""
            + name
            + "\" came and went each of the "
            + MOST_ATTEMPTS
            + " times it was to be written (nothing was changed); try again",
        null);
  }
}
